// A capture that runs while its window goes away: reloaded, closed, or ended by the system. The helper completes the file; the window says so when it is back.

import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { scanCapture } from "../capture/capture-scan.js";
import { COMMANDS } from "../contributions.js";
import type { ExtensionServices } from "../extension-services.js";
import { showWarningMessage } from "../messages/show-message.js";
import { showCapture, showUnreadable } from "../captures/open-capture.js";
import { endText } from "./status-text.js";

const STATE_KEY = "extrospect.runningCapture";
/** The helper of the window that went away may still be completing the file: it is done when nothing has changed for so long. */
const SETTLED_MS = 1_000;
const MOST_LOOKS = 10;

interface RunningCapture {
  /** Absolute path. */
  readonly file: string;
  /** Shown name of its target. */
  readonly name: string;
  /** As it was asked for, not as long as it was. */
  readonly durationSeconds: number;
}

/** Which capture runs in this workspace, kept where a window that comes back finds it. */
export class RunningCaptureMemory {
  constructor(private readonly state: vscode.Memento) {}

  async begun(running: RunningCapture): Promise<void> {
    await this.state.update(STATE_KEY, running);
  }

  /** To be called when the user has heard of its end, or has asked for it. */
  async ended(): Promise<void> {
    await this.state.update(STATE_KEY, undefined);
  }

  /** The capture that ran when the window went away; asked once. */
  async take(): Promise<RunningCapture | undefined> {
    const kept = this.state.get<Partial<Record<keyof RunningCapture, unknown>>>(STATE_KEY);
    if (kept === undefined) return undefined;
    await this.ended();
    const { file, name, durationSeconds } = kept;
    if (typeof file !== "string" || typeof name !== "string" || typeof durationSeconds !== "number") return undefined;
    return { file, name, durationSeconds };
  }
}

/** Says that a capture ended with its window, and offers what one would want then. */
export async function tellOfInterrupted(memory: RunningCaptureMemory, { captures, log }: Pick<ExtensionServices, "captures" | "log">): Promise<void> {
  const interrupted = await memory.take();
  if (interrupted === undefined || !(await isSettled(interrupted.file))) return;
  const { file, name, durationSeconds } = interrupted;
  const uri = vscode.Uri.file(file);
  const l10n = vscode.l10n;
  try {
    const { quality } = await scanCapture(file);
    const { text } = endText("windowGone", "", name, quality?.samples ?? 0, l10n, vscode.env.language);
    log.info(`${text} ${file}`);
    const [show, again] = [l10n.t("Show the Capture"), l10n.t("Restart the Capture")];
    const chosen = await showWarningMessage(text, show, again);
    if (chosen === show) await showCapture(uri, captures);
    else if (chosen === again) await vscode.commands.executeCommand(COMMANDS.profileAgain, uri, { durationSeconds });
  } catch (error) {
    showUnreadable(error, log);
  }
}

/** Waits until nobody writes to the file any more, or for ten seconds; false when it is not there. */
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
