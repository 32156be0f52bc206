// Captures that run while their window is reloaded, closed, or ended by the system. The helper completes the files; the
// window reports it when it is back.

import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import { scanCapture } from "../capture/capture-scan.js";
import { openTogether } from "../captures/open-together.js";
import { addedAmounts, recordedAmount, type RecordedAmount } from "../captures/recorded-amount.js";
import { COMMANDS } from "../contributions.js";
import type { ExtensionServices } from "../extension-services.js";
import { showWarningMessage } from "../messages/show-message.js";
import { showCapture, showUnreadable } from "../captures/open-capture.js";
import { errorText } from "../text/error-text.js";
import { noteEnd } from "./note-end.js";
import type { RunningCaptureMemory, RunningFile } from "./running-memory.js";
import { endText } from "./status-text.js";

/**
 * The helper of the window that closed may still be completing the file: it is done when nothing has changed for so
 * long.
 */
const SETTLED_MS = 1_000;
const MOST_LOOKS = 10;
const LONGEST_NAMES = 120;

/** Shows that a capture, or several, ended with their window, and offers the next steps. */
export async function showInterrupted(
  memory: RunningCaptureMemory,
  services: Pick<ExtensionServices, "captures" | "sources" | "log">,
): Promise<void> {
  const interrupted = await memory.take();
  if (interrupted === undefined) return;
  const { captures, log } = services;
  const { files, durationSeconds, group } = interrupted;
  const l10n = vscode.l10n;
  try {
    const kept = await keptFiles(files, log);
    // By it they are opened together again.
    await noteEnd({ files: kept, tag: group?.tag, commit: undefined }, services);
    const cut = kept.filter(({ hasEnded }) => !hasEnded);
    const [first] = cut;
    if (first === undefined) return;
    const names = plainText(cut.map(({ name }) => name).join(", "), LONGEST_NAMES);
    const recorded = addedAmounts(cut.map((one) => one.recorded));
    const { text } = endText("windowGone", "", names, recorded, l10n, vscode.env.language);
    log.info(`${text} ${kept.map(({ uri }) => uri.fsPath).join(", ")}`);
    const [show, again] = [
      kept.length === 1 ? l10n.t("Show the Capture") : l10n.t("Show the Captures"),
      l10n.t("Restart the Capture"),
    ];
    const chosen = await showWarningMessage(text, show, again);
    if (chosen === show)
      await (kept.length === 1
        ? showCapture(first.uri, captures)
        : openTogether(
            kept.map(({ uri }) => uri),
            captures,
          ));
    else if (chosen === again && group !== undefined)
      await vscode.commands.executeCommand(COMMANDS.attachSeveral, group.again);
    else if (chosen === again)
      await vscode.commands.executeCommand(COMMANDS.profileAgain, first.uri, { durationSeconds });
  } catch (error) {
    showUnreadable(error, log);
  }
}

interface KeptFile {
  readonly uri: vscode.Uri;
  readonly name: string;
  readonly recorded: RecordedAmount;
  /** Before the window, so that it is not named as cut. */
  readonly hasEnded: boolean;
}

/** Those that are there and complete. @throws when none of them can be read */
async function keptFiles(files: readonly RunningFile[], log: vscode.LogOutputChannel): Promise<readonly KeptFile[]> {
  const read = await Promise.allSettled(
    files.map(async ({ file, name, hasEnded = false }): Promise<KeptFile | undefined> => {
      if (!(await isSettled(file))) return undefined;
      const { quality } = await scanCapture(file);
      return { uri: vscode.Uri.file(file), name, recorded: recordedAmount(quality), hasEnded };
    }),
  );
  const kept = read.flatMap((one) => (one.status === "fulfilled" && one.value !== undefined ? [one.value] : []));
  const [failure] = read.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  if (failure !== undefined && kept.length === 0) throw failure;
  if (failure !== undefined) log.warn(`A capture that ended with its window cannot be read: ${errorText(failure)}`);
  return kept;
}

/** Waits until no program writes to the file any longer, or for ten seconds; false when it is not there. */
async function isSettled(file: string): Promise<boolean> {
  let seen = "";
  for (let look = 0; look < MOST_LOOKS; look++) {
    const found = await stat(file).catch(() => undefined);
    if (found === undefined) return false;
    const now = `${String(found.ino)} ${String(found.size)}`;
    if (now === seen) return true;
    seen = now;
    await sleep(SETTLED_MS);
  }
  return true;
}
