// From a file to an open capture.

import * as vscode from "vscode";
import { fileSize } from "../../../contract/figures.js";
import type { Capture } from "../capture/questions.js";
import { showErrorMessage, withStatusBarProgress } from "../messages/show-message.js";
import { fileName } from "../text/base-name.js";
import { errorText, errorWords, forLog } from "../text/error-text.js";
import { LARGEST_FILE_BYTES } from "./capture-limits.js";
import { chooseEvent } from "./choose-event.js";
import { asPprof, openBytes, type OpenOptions } from "./open-bytes.js";
import type { CaptureStore, OpenCapture } from "./capture-store.js";
import { captureTitle, summaryOf } from "./capture-summary.js";
import { DIALOG_ENDINGS } from "./profile-names.js";
import { unreadableWords } from "./unreadable-words.js";

const LARGE_BYTES = 2 * 1024 * 1024;

/** Why a file is no capture that can be shown: what, why and what to do. */
export class UnreadableCapture extends Error {
  override readonly name = "UnreadableCapture";

  constructor(
    readonly what: string,
    readonly why: string,
    readonly fix: string,
  ) {
    super(`${what}: ${why}`);
  }
}

/** Shows the user why a command on a capture did not work. */
export function showUnreadable(error: unknown, log: vscode.LogOutputChannel): void {
  const isKnown = error instanceof UnreadableCapture;
  log.error(isKnown ? error.message : forLog(error));
  void showErrorMessage(isKnown ? `${error.message}. ${error.fix}` : errorWords(error, vscode.l10n));
}

/**
 * The capture of a file, from the store when it is open already.
 * @throws {UnreadableCapture} when it cannot be shown
 */
export async function openedCapture(uri: vscode.Uri, captures: CaptureStore): Promise<OpenCapture> {
  const open = captures.get(uri);
  if (open !== undefined) return open;
  const key = uri.toString();
  const reading = beingRead.get(key) ?? readAnew(uri).finally(() => beingRead.delete(key));
  beingRead.set(key, reading);
  return reading;
}

/** A command and the editor it opens ask for the same file at the same time. */
const beingRead = new Map<string, Promise<OpenCapture>>();

async function readAnew(uri: vscode.Uri): Promise<OpenCapture> {
  const size = await captureSize(uri);
  const read = async () => {
    let isChosen = false;
    const capture = await decoded(uri, {
      chooseEvent: (events) => {
        isChosen = true;
        return chooseEvent(fileName(uri), events);
      },
    });
    const title = captureTitle(summaryOf(capture), fileName(uri), vscode.env.language);
    // Reading it again would ask again.
    return { uri, title, capture, live: false, canBeReadAgain: !isChosen };
  };
  if (size < LARGE_BYTES) return read();
  return withStatusBarProgress(vscode.l10n.t("Opening {0}…", fileName(uri)), read);
}

/** Puts the capture of a file into view. @throws {UnreadableCapture} */
export async function showCapture(uri: vscode.Uri, captures: CaptureStore): Promise<OpenCapture> {
  const opened = await openedCapture(uri, captures);
  captures.show(opened);
  return opened;
}

/** @throws {UnreadableCapture} */
export async function decoded(uri: vscode.Uri, options: OpenOptions = {}): Promise<Capture> {
  return readAs(uri, (bytes) => openBytes(bytes, options));
}

/** The bytes of a capture, those of a profile of another tool as a capture. @throws {UnreadableCapture} */
export function profileBytes(uri: vscode.Uri): Promise<Uint8Array> {
  return readAs(uri, (bytes) => asPprof(bytes, (events) => chooseEvent(fileName(uri), events)));
}

/** @throws {UnreadableCapture} when the file cannot be read, or is no such thing */
async function readAs<T>(uri: vscode.Uri, read: (bytes: Uint8Array) => Promise<T>): Promise<T> {
  const l10n = vscode.l10n;
  const what = l10n.t("{0} cannot be shown", fileName(uri));
  let bytes: Uint8Array;
  try {
    bytes = await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    throw new UnreadableCapture(
      what,
      l10n.t("it cannot be read: {0}", errorText(error)),
      l10n.t("Check that the file exists and that you may read it."),
    );
  }
  if (bytes.length === 0)
    throw new UnreadableCapture(what, l10n.t("the file is empty"), l10n.t("Record it again, or delete it."));
  try {
    return await read(bytes);
  } catch (error) {
    const { why, fix } = unreadableWords(error, l10n);
    throw new UnreadableCapture(what, why, fix);
  }
}

/** Of dialogs that choose files to be opened or imported. */
export function profileFilters(): Record<string, string[]> {
  const l10n = vscode.l10n;
  return { [l10n.t("Captures and profiles of other tools")]: [...DIALOG_ENDINGS], [l10n.t("All files")]: ["*"] };
}

/** The operating system's own message for this is no help. */
function isGone(error: unknown): boolean {
  return error instanceof vscode.FileSystemError && error.code === "FileNotFound";
}

/** Bytes of a file that is there and not too large. @throws {UnreadableCapture} */
export async function captureSize(uri: vscode.Uri): Promise<number> {
  const l10n = vscode.l10n;
  const what = l10n.t("{0} cannot be shown", fileName(uri));
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size <= LARGEST_FILE_BYTES) return size;
    const why = l10n.t(
      "it has {0}, and at most {1} can be opened",
      fileSize(size, vscode.env.language),
      fileSize(LARGEST_FILE_BYTES, vscode.env.language),
    );
    throw new UnreadableCapture(
      what,
      why,
      l10n.t("Record a shorter capture or sample less often; `extrospect top` reads the file on the command line."),
    );
  } catch (error) {
    if (error instanceof UnreadableCapture) throw error;
    if (isGone(error))
      throw new UnreadableCapture(
        what,
        l10n.t("the file no longer exists: it was deleted, renamed or moved"),
        l10n.t("Put it back, or choose another capture."),
      );
    throw new UnreadableCapture(
      what,
      l10n.t("it cannot be found: {0}", errorText(error)),
      l10n.t("Refresh the list of captures."),
    );
  }
}
