// Processor time and waits of one VM as the page shows them. No vscode in here.

import type { TimeSpent } from "../../../../contract/messages/time-spent.js";
import { shownName } from "../../../../contract/plain-text.js";
import type { SpentTime } from "./spent-time.js";

/** @param files names of the two captures, without their folders */
export function shownTime(time: SpentTime, files: { readonly cpu: string; readonly waits: string }): TimeSpent {
  const { rows, all, noProcessCpu, unseenCpu } = time.processes();
  const { facts } = time.waits;
  return {
    pid: facts.waits?.pid ?? 0,
    node: shownName(facts.waits?.node ?? "", 200),
    cpuFile: shownName(files.cpu, 200),
    waitsFile: shownName(files.waits, 200),
    startedUnixMs: facts.startedUnixMs,
    looks: facts.waits?.looks ?? 0,
    lookedSeconds: facts.waits?.lookedSeconds ?? 0,
    sampledSeconds: time.shared.sampledSeconds,
    processes: rows,
    all,
    noProcessCpu,
    unseenCpu,
  };
}
