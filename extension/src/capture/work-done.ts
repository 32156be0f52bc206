// How much work was done while a capture was taken. The helper computes the same (crate capture, work.rs).

import type { RecordedWork } from "./questions.js";

/** Why a counter is of no use: no second reading as the file was cut, one that failed, one that is smaller, one that is the same. */
export type NoWork = "cut" | "notRead" | "backwards" | "still";

/** Units that were done, more than 0; or why they are not known. */
export function unitsDone(
  { atStart, atEnd, startUnixMs, endUnixMs, problem }: RecordedWork,
  durationMs: number,
): number | NoWork {
  if (atEnd === null) return problem === "" ? "cut" : "notRead";
  if (atEnd < atStart) return "backwards";
  // Both readings lie outside the sampled time: the rate of work is taken to be constant.
  const betweenMs = endUnixMs - startUnixMs;
  const units = (atEnd - atStart) * (durationMs > 0 && betweenMs > durationMs ? durationMs / betweenMs : 1);
  return units > 0 && Number.isFinite(units) ? units : "still";
}
