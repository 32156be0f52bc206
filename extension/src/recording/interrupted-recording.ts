// Captures that run while their window is reloaded, closed, or ended by the system. The helper completes the files; the
// window reports it when it is back.

import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import { scanCapture } from "../capture/capture-scan.js";
import { openTogether } from "../captures/open-together.js";
import { COMMANDS } from "../contributions.js";
import type { ExtensionServices } from "../extension-services.js";
import { showWarningMessage } from "../messages/show-message.js";
import { showCapture, showUnreadable } from "../captures/open-capture.js";
import { errorText } from "../text/error-text.js";
import { noteEnd } from "./note-end.js";
import { endText } from "./status-text.js";

const STATE_KEY = "extrospect.runningCapture";
/**
 * The helper of the window that closed may still be completing the file: it is done when nothing has changed for so
 * long.
 */
const SETTLED_MS = 1_000;
const MOST_LOOKS = 10;

/** More are not captured together. */
const MOST_FILES = 64;
const LONGEST_NAMES = 120;

/** The capture of one VM. */
interface RunningFile {
  /** Absolute path. */
  readonly file: string;
  /** Shown name of its target. */
  readonly name: string;
}

/** The facts of running captures that are needed later; kept as JSON. */
export interface RunningCapture {
  readonly files: readonly RunningFile[];
  /** As requested, not the actual duration. */
  readonly durationSeconds: number;
  /** When they were started together. */
  readonly group?: {
    readonly tag: string;
    /** Arguments of `extrospect.attachSeveral` that capture the same again. */
    readonly again: object;
  };
}

/** Which capture, or which group of them, runs in this workspace, kept where a window that comes back finds it. */
export class RunningCaptureMemory {
  constructor(private readonly state: vscode.Memento) {}

  async begun(running: RunningCapture): Promise<void> {
    await this.state.update(STATE_KEY, running);
  }

  /**
   * Call it at once for an end that the window cannot have caused, and for any other when the user has answered the message about it:
   * see `Session`.
   * @param file of it: another may have begun since
   */
  async ended(file: string): Promise<void> {
    if (this.#kept()?.files.some((known) => known.file === file) === true)
      await this.state.update(STATE_KEY, undefined);
  }

  /** The capture that ran when the window closed; returned once. */
  async take(): Promise<RunningCapture | undefined> {
    const kept = this.#kept();
    await this.state.update(STATE_KEY, undefined);
    return kept;
  }

  #kept(): RunningCapture | undefined {
    const { files, durationSeconds, group } =
      this.state.get<Partial<Record<keyof RunningCapture, unknown>>>(STATE_KEY) ?? {};
    if (!Array.isArray(files) || typeof durationSeconds !== "number") return undefined;
    const known = files.slice(0, MOST_FILES).filter(isRunningFile);
    return { files: known, durationSeconds, ...(isGroup(group) && { group }) };
  }
}

function isRunningFile(value: unknown): value is RunningFile {
  const { file, name } = (value ?? {}) as Partial<Record<keyof RunningFile, unknown>>;
  return typeof file === "string" && typeof name === "string";
}

function isGroup(value: unknown): value is NonNullable<RunningCapture["group"]> {
  const { tag, again } = (value ?? {}) as { readonly tag?: unknown; readonly again?: unknown };
  return typeof tag === "string" && typeof again === "object" && again !== null;
}

/** Shows that a capture, or several, ended with their window, and offers the next steps. */
export async function tellOfInterrupted(
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
    const [first] = kept;
    if (first === undefined) return;
    // By it they are opened together again.
    await noteEnd({ files: kept, tag: group?.tag, commit: undefined }, services);
    const names = plainText(kept.map(({ name }) => name).join(", "), LONGEST_NAMES);
    const samples = kept.reduce((sum, one) => sum + one.samples, 0);
    const { text } = endText("windowGone", "", names, samples, l10n, vscode.env.language);
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
  readonly samples: number;
}

/** Those that are there and complete. @throws when none of them can be read */
async function keptFiles(files: readonly RunningFile[], log: vscode.LogOutputChannel): Promise<readonly KeptFile[]> {
  const read = await Promise.allSettled(
    files.map(async ({ file, name }): Promise<KeptFile | undefined> => {
      if (!(await isSettled(file))) return undefined;
      const { quality } = await scanCapture(file);
      return { uri: vscode.Uri.file(file), name, samples: quality?.samples ?? 0 };
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
