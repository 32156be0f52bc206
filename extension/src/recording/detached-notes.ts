// What is noted in the copy of a detached capture that came here, beside what its file says by itself: that it is of another host, and what the sources looked like that it was started from.

import type * as vscode from "vscode";
import type { FolderCommit } from "../commits/folder-commit.js";
import { DetachedOrigins, type BegunDetached } from "../detached/detached-origins.js";
import type { ExtensionServices } from "../extension-services.js";
import { noteSources } from "./note-sources.js";

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

  /** Notes it in a copy that grows no more. What does not work is in the log. */
  async noteIn({ uri, name, host, begunMs }: DetachedCopy): Promise<void> {
    const commit = begunMs === undefined ? undefined : this.#origins.find({ name, host, begunMs });
    await noteSources({ uri, isFar: host !== undefined, commit }, this.services);
  }
}
