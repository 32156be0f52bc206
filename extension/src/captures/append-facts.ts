// Adds facts to a capture file: whole gzip members at its end. Existing bytes are never written again.

import { open } from "node:fs/promises";
import * as vscode from "vscode";
import type { OriginFacts } from "../../../contract/protocol.generated.js";
import { clockMember, elsewhereMember, originMember, scanCapture, userMember } from "../capture/capture-scan.js";
import type { ClockFacts, UserFacts } from "../capture/questions.js";
import { fileName } from "../text/base-name.js";
import { errorText } from "../text/error-text.js";
import type { CaptureStore } from "./capture-store.js";
import { UnreadableCapture } from "./open-capture.js";

/** @throws {UnreadableCapture} when nothing can be added to it */
export function appendOrigin(uri: vscode.Uri, origin: OriginFacts, captures: CaptureStore): Promise<void> {
  return append(uri, (strings) => originMember(strings, origin), captures);
}

/** @throws {UnreadableCapture} when nothing can be added to it */
export function appendUser(uri: vscode.Uri, user: UserFacts, captures: CaptureStore): Promise<void> {
  return append(uri, (strings) => userMember(strings, user), captures);
}

/** @throws {UnreadableCapture} when nothing can be added to it */
export function appendClock(uri: vscode.Uri, clock: ClockFacts, captures: CaptureStore): Promise<void> {
  return append(uri, (strings) => clockMember(strings, clock), captures);
}

/** Marks it as taken on another host. @throws {UnreadableCapture} when nothing can be added to it */
export function appendElsewhere(uri: vscode.Uri, captures: CaptureStore): Promise<void> {
  return append(uri, elsewhereMember, captures);
}

/** One after the other: each member's place in the table of strings follows from those before it. */
let appending = Promise.resolve();

function append(uri: vscode.Uri, memberOf: (strings: number) => Uint8Array, captures: CaptureStore): Promise<void> {
  const appended = appending.then(() => appendNow(uri, memberOf, captures));
  appending = appended.catch(() => {});
  return appended;
}

async function appendNow(
  uri: vscode.Uri,
  memberOf: (strings: number) => Uint8Array,
  captures: CaptureStore,
): Promise<void> {
  const l10n = vscode.l10n;
  const opened = captures.get(uri);
  const refused = (why: string, fix: string) =>
    new UnreadableCapture(l10n.t("Nothing can be added to {0}", fileName(uri)), why, fix);
  if (uri.scheme !== "file")
    throw refused(l10n.t("it is not on a disk of this machine"), l10n.t("Copy it here first (Import Captures…)."));
  if (captures.withFile(uri)?.live === true)
    throw refused(l10n.t("it is still being written"), l10n.t("Stop the capture first."));
  let member: Uint8Array;
  try {
    const { strings, isCut, fileBytes } = await scanCapture(uri.fsPath);
    if (isCut)
      throw refused(l10n.t("the end of the file is missing"), l10n.t("The existing part can still be opened."));
    member = memberOf(strings);
    await appendTo(uri.fsPath, member, fileBytes);
  } catch (error) {
    if (error instanceof UnreadableCapture) throw error;
    throw refused(errorText(error), l10n.t("Check that the file exists and that you may write to it."));
  }
  if (opened === undefined) return;
  opened.capture.append(member);
  captures.updated(opened);
}

async function appendTo(path: string, member: Uint8Array, expectedBytes: number): Promise<void> {
  const file = await open(path, "a");
  try {
    // Another program may have written to it since it was scanned.
    const { size } = await file.stat();
    if (size !== expectedBytes) throw new Error(vscode.l10n.t("it has just been changed by another program"));
    try {
      await file.writeFile(member);
    } catch (error) {
      // Half a member would cut the file.
      await file.truncate(size);
      throw error;
    }
  } finally {
    await file.close();
  }
}
