// The task of the thread that reads a capture, and its answer.

import type { CaptureProblem } from "../capture-error.js";
import type { CaptureParts } from "../capture-model.js";

export interface ThreadTask {
  readonly gzip: Uint8Array;
  /** What processes are called, by pid, instead of what the file calls them. */
  readonly processNames?: ReadonlyMap<string, string>;
}

export type ThreadAnswer =
  | { readonly type: "read"; readonly parts: CaptureParts }
  /** The bytes are no capture: the contents of a `CaptureError`. */
  | { readonly type: "unreadable"; readonly problem: CaptureProblem; readonly why: string };

/** The memory of all columns in there, to be moved instead of copied. Texts and facts lie in lists and maps, which hold none. */
export function columnsIn(parts: object): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  const waiting: unknown[] = [parts];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (ArrayBuffer.isView(part)) {
      if (part.buffer instanceof ArrayBuffer) found.add(part.buffer);
    } else if (typeof part === "object" && part !== null && !Array.isArray(part) && !(part instanceof Map))
      waiting.push(...Object.values(part));
  }
  return [...found];
}
