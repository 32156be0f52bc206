// Processor time and waits of one VM as the page shows them. No vscode in here.

import type { CaptureRemark } from "../../../../contract/messages/any-page.js";
import type { SavedState, TimeSpent, ToWebview } from "../../../../contract/messages/time-spent.js";
import { shownName, type Words } from "../../../../contract/plain-text.js";
import { captureRemark } from "../../captures/capture-remark.js";
import { shownSchedulers } from "../../text/shown-schedulers.js";
import type { SpentTime } from "./spent-time.js";

/** Of the two captures. */
type Files = Pick<SavedState, "cpu" | "waits">;

/**
 * The content of the page.
 * @param files names without their folders
 */
export function timeMessages(
  time: SpentTime,
  files: Files,
  uris: Files,
  l10n: Words,
  language?: string,
): readonly (ToWebview | CaptureRemark)[] {
  return [
    { type: "captureRemark", text: captureRemark(time.cpu.facts, l10n, language) },
    { type: "time", spent: shownTime(time, files), uris },
    { type: "functions", process: null, rows: time.functions(null) },
  ];
}

function shownTime(time: SpentTime, files: Files): TimeSpent {
  const { rows, all, noProcessCpu, unseenCpu } = time.processes();
  const { facts } = time.waits;
  return {
    pid: facts.waits?.pid ?? 0,
    node: shownName(facts.waits?.node ?? "", 200),
    cpuFile: shownName(files.cpu, 200),
    waitsFile: shownName(files.waits, 200),
    startedUnixMs: facts.startedUnixMs,
    endedUnixMs: facts.waits?.hasEnded === true ? facts.startedUnixMs + facts.durationMs : null,
    looks: facts.waits?.looks ?? 0,
    lookedSeconds: facts.waits?.lookedSeconds ?? 0,
    sampledSeconds: time.shared.sampledSeconds,
    processes: rows,
    all,
    noProcessCpu,
    unseenCpu,
    schedulers: shownSchedulers(facts.waits?.schedulers),
  };
}
