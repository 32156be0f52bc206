// What is noted in a capture that is complete: that it is of another host, and what the sources looked like that it was taken of.

import type * as vscode from "vscode";
import { appendElsewhere, appendOrigin } from "../captures/append-facts.js";
import { openedCapture } from "../captures/open-capture.js";
import type { FolderCommit } from "../commits/folder-commit.js";
import { hashSources } from "../commits/source-hashes.js";
import type { ExtensionServices } from "../extension-services.js";
import { errorText } from "../text/error-text.js";

export interface SourcesToNote {
  readonly uri: vscode.Uri;
  /** It is of another host. */
  readonly isFar: boolean;
  /** At which commit the sources were; undefined when that is not known. */
  readonly commit: FolderCommit | undefined;
}

/** Notes it in a file that grows no more. What does not work is in the log. */
export async function noteSources({ uri, isFar, commit }: SourcesToNote, { captures, sources, log }: Pick<ExtensionServices, "captures" | "sources" | "log">): Promise<void> {
  try {
    if (isFar) await appendElsewhere(uri, captures);
    if (commit === undefined) return;
    const files = (await sources.filesOf(await openedCapture(uri, captures))).filter(({ scheme }) => scheme === "file").map(({ fsPath }) => fsPath);
    await appendOrigin(uri, { ...commit.origin, sources: await hashSources(commit.top, files, commit.origin.commit) }, captures);
  } catch (error) {
    log.warn(`${uri.fsPath} does not say where it is from: ${errorText(error)}`);
  }
}
