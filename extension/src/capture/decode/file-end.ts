// The end mark of a capture file, which its writer adds when it closes the file: see “The end of a file” in docs/json.md.

import type { MissingEndReason, QualityRecord } from "../../../../contract/protocol.generated.js";
import type { CaptureFacts } from "../questions.js";

/** The field of the profile that has it, as a number. */
export const FILE_END = 1001;

/** The numbers of files that lack their end; those with another one, or with none, are not known to. */
const REASONS: ReadonlyMap<number, MissingEndReason> = new Map([
  [1, "notClosed"],
  [10, "diskFull"],
  [11, "writeFailed"],
]);

/** The last increment of a file. */
type LastIncrement = Pick<CaptureFacts, "fileEnd" | "isCut" | "startedUnixMs" | "durationMs">;

/** The quality of a file that was read as a whole, with the end that it lacks. */
export function withMissingEnd(
  quality: QualityRecord,
  { fileEnd = 0, isCut, startedUnixMs, durationMs }: LastIncrement,
): QualityRecord {
  const reason = REASONS.get(fileEnd);
  // Of a cut file nothing shows whether it had a mark behind the cut.
  if (reason === undefined || (reason === "notClosed" && isCut === true)) return quality;
  const lastUnixMs = startedUnixMs > 0 ? startedUnixMs + durationMs : 0;
  return { ...quality, gaps: { ...quality.gaps, missing_end: { reason, last_unix_ms: lastUnixMs } } };
}
