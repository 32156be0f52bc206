// How much work was done while a capture was taken. The helper says the same (crate capture, work.rs).

import type { RecordedWork } from "./questions.js";

/** Why a counter is of no use: no second reading as the file was cut, one that failed, one that is smaller, one that is the same. */
export type NoWork = "cut" | "notRead" | "backwards" | "still";

/** Units that were done, more than 0; or why they are not known. */
export function unitsDone({ atStart, atEnd, startUnixMs, endUnixMs, problem }: RecordedWork, durationMs: number): number | NoWork {
  if (atEnd === null) return problem === "" ? "cut" : "notRead";
  if (atEnd < atStart) return "backwards";
  // Both readings lie outside of what was sampled: what was done each second is taken to be the same throughout.
  const betweenMs = endUnixMs - startUnixMs;
  const units = (atEnd - atStart) * (durationMs > 0 && betweenMs > durationMs ? durationMs / betweenMs : 1);
  return units > 0 && Number.isFinite(units) ? units : "still";
}
