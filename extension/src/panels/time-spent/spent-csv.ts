// The tables of CPU and waits together as comma-separated values. Times are seconds. No vscode in here.

import type { FunctionTime, ProcessTime } from "../../../../contract/messages/time-spent.js";
import { csv } from "../../text/csv.js";

export function processesAsCsv(rows: readonly ProcessTime[]): string {
  return csv(
    ["name", "cpu_s", "waiting_s", "ready_s", "running_s", "present_s"],
    rows.map(({ name, cpu, waiting, ready, running, present }) => [
      name,
      ...[cpu, waiting, ready, running, present].map(thousandths),
    ]),
  );
}

export function functionsAsCsv(rows: readonly FunctionTime[]): string {
  return csv(
    [
      "name",
      "place",
      "cpu_self_s",
      "cpu_total_s",
      "ready_self_s",
      "ready_total_s",
      "waiting_self_s",
      "waiting_total_s",
    ],
    rows.map((row) => [
      row.name,
      row.place,
      ...[row.cpuSelf, row.cpuTotal, row.readySelf, row.readyTotal, row.waitingSelf, row.waitingTotal].map(thousandths),
    ]),
  );
}

function thousandths(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds * 1000) / 1000;
}
