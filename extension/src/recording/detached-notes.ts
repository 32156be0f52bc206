// Notes in the copy of a detached capture, besides the facts in its file: that it is of another host, and the state of
// the sources that it was started from.

import type * as vscode from "vscode";
import type { FolderCommit } from "../commits/folder-commit.js";
import { DetachedOrigins, type BegunDetached } from "../detached/detached-origins.js";
import type { ExtensionServices } from "../extension-services.js";
import { noteEnd } from "./note-end.js";

/** A copy, and which capture it is of. */
export interface DetachedCopy extends Omit<BegunDetached, "begunMs"> {
  readonly uri: vscode.Uri;
  /** By the clock where it is, milliseconds; undefined when that is not known. */
  readonly begunMs: number | undefined;
}

export class DetachedNotes {
  readonly #origins: DetachedOrigins;

  constructor(private readonly services: Pick<ExtensionServices, "captures" | "sources" | "log" | "context">) {
    this.#origins = new DetachedOrigins(services.context.workspaceState);
  }

  /** Remembers at which commit the sources were when it was started. */
  async begun(capture: BegunDetached, commit: FolderCommit): Promise<void> {
    await this.#origins.note(capture, commit);
  }

  /** Writes the notes into a copy that grows no longer. Failures go to the log. */
  async noteIn({ uri, name, host, begunMs }: DetachedCopy): Promise<void> {
    const commit = begunMs === undefined ? undefined : this.#origins.find({ name, host, begunMs });
    await noteEnd({ files: [{ uri, isFar: host !== undefined }], commit }, this.services);
  }
}
