// Notes in captures that are complete: where they were taken, which were taken together, and the state of the sources.

import type * as vscode from "vscode";
import type { ClockFacts } from "../capture/questions.js";
import { appendClock, appendElsewhere, appendOrigin, appendUser } from "../captures/append-facts.js";
import type { OpenCapture } from "../captures/capture-store.js";
import { openedCapture } from "../captures/open-capture.js";
import type { FolderCommit } from "../commits/folder-commit.js";
import { hashSources } from "../commits/source-hashes.js";
import type { ExtensionServices } from "../extension-services.js";
import { errorText } from "../text/error-text.js";

interface CompleteFile {
  readonly uri: vscode.Uri;
  /** It is of another host. */
  readonly isFar?: boolean;
  /** What the clock of that host was. */
  readonly clock?: ClockFacts | undefined;
}

/** Captures of one start, which grow no longer. */
export interface CompleteCaptures {
  readonly files: readonly CompleteFile[];
  /** By it those that were started together are opened together again. */
  readonly tag?: string | undefined;
  /** At which commit the sources were; undefined when that is not known. */
  readonly commit: FolderCommit | undefined;
  /** All of them as they are in view; the first file when absent. */
  readonly opened?: OpenCapture;
}

type NoteServices = Pick<ExtensionServices, "captures" | "sources" | "log">;

/** Notes it in each file. What does not work is in the log. */
export async function noteEnd(complete: CompleteCaptures, services: NoteServices): Promise<void> {
  const { captures, log } = services;
  for (const { uri, isFar, clock } of complete.files)
    try {
      if (isFar === true) await appendElsewhere(uri, captures);
      if (clock !== undefined) await appendClock(uri, clock, captures);
      if (complete.tag !== undefined)
        await appendUser(uri, { note: "", tags: [complete.tag], pinned: false }, captures);
    } catch (error) {
      log.warn(`${uri.fsPath} lacks notes about where it is from: ${errorText(error)}`);
    }
  if (complete.commit !== undefined) await noteSources(complete, complete.commit, services);
}

async function noteSources(
  { files, opened }: CompleteCaptures,
  { top, origin }: FolderCommit,
  { captures, sources, log }: NoteServices,
): Promise<void> {
  const [first] = files;
  if (first === undefined) return;
  try {
    const shown = opened ?? (await openedCapture(first.uri, captures));
    const own = (await sources.filesOf(shown)).filter(({ scheme }) => scheme === "file");
    const hashes = await hashSources(
      top,
      own.map(({ fsPath }) => fsPath),
      origin.commit,
    );
    // The helper has written the commit where it was given one.
    if (Object.keys(hashes).length === 0 && shown.capture.facts.origin !== undefined) return;
    for (const { uri } of files) await appendOrigin(uri, { ...origin, sources: hashes }, captures);
  } catch (error) {
    log.warn(`The sources of ${first.uri.fsPath} were not noted in it: ${errorText(error)}`);
  }
}
