// A watch of where the processes of a VM wait: for how long, how it goes, and the file that is kept of it.

import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import type { TargetFacts } from "../../../../contract/protocol.generated.js";
import { captureFileName, freeName } from "../../captures/capture-file.js";
import { folderForCapture } from "../../captures/capture-folder.js";
import type { Cancellation } from "../../helper/helper-connection.js";
import type { InsideVm, VmPlace } from "../../inside/inside-vm.js";
import { showInputBox } from "../../messages/pickers.js";
import { withReportedProgress } from "../../messages/show-message.js";
import { watchWaits, type Watched } from "./watch-waits.js";

const USUAL_SECONDS = 10;
const MOST_SECONDS = 600;

/** What a task or key binding may say beforehand. */
interface Given {
  readonly durationSeconds?: unknown;
}

export function watchedWithProgress(inside: InsideVm, { pid }: VmPlace, seconds: number): Thenable<Watched> {
  const { l10n } = vscode;
  const title = l10n.t(
    "Watching where the processes of {0} wait; cancelling keeps the waits recorded so far",
    String(pid),
  );
  return withReportedProgress(title, (token, report) =>
    watchWaits(inside, { seconds, nowMs: () => Date.now(), pause }, token, ({ waiting, processes }, done) => {
      report(
        l10n.t(
          "{0} of {1} processes wait",
          waiting.toLocaleString(vscode.env.language),
          processes.toLocaleString(vscode.env.language),
        ),
        done * 100,
      );
    }),
  );
}

function pause(ms: number, token: Cancellation): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      listening.dispose();
      resolve();
    };
    const timer = setTimeout(over, ms);
    const listening = token.onCancellationRequested(over);
  });
}

/** Puts the capture of a watch among the others. */
export async function keepWaits(
  context: vscode.ExtensionContext,
  { result }: Watched,
  target: TargetFacts | undefined,
  { pid }: VmPlace,
): Promise<vscode.Uri> {
  const folder = await folderForCapture(context);
  const taken = new Set(await readdir(folder));
  const stem = vscode.l10n.t("{0}-waits", (target?.node ?? "").split("@")[0] || `beam-${String(pid)}`);
  const path = join(
    folder,
    freeName(captureFileName(stem, pid, new Date()), (name) => taken.has(name)),
  );
  await writeFile(path, Buffer.from(result.capture, "base64"), { flag: "wx", mode: 0o600 });
  return vscode.Uri.file(path);
}

/** For how long, where the arguments of a command say it. */
export function secondsOf(given: unknown): number | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { durationSeconds } = given as Given;
  return typeof durationSeconds === "number" && durationSeconds >= 1 && durationSeconds <= MOST_SECONDS
    ? durationSeconds
    : undefined;
}

/** @param title the purpose of the watch */
export async function chosenSeconds(title: string): Promise<number | undefined> {
  const { l10n } = vscode;
  const typed = await showInputBox({
    title,
    prompt: l10n.t("Seconds to watch; nothing is stopped or enabled in the VM"),
    value: String(USUAL_SECONDS),
    ignoreFocusOut: true,
    validate: (text) => (isSeconds(text) ? undefined : l10n.t("From 1 to {0} seconds", MOST_SECONDS)),
  });
  return typed === undefined ? undefined : Number(typed);
}

function isSeconds(text: string): boolean {
  return /^\s*\d{1,3}\s*$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_SECONDS;
}
