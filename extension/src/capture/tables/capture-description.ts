// A capture's description of itself, and which of its values is counted.

import type { CaptureFacts } from "../questions.js";

/** Which of a sample's values is counted, and as what. */
export interface CountedValue {
  readonly column: number;
  /** Values of a sample. */
  readonly columns: number;
  /** The value is divided by this, so that all of them together fit 32 bits. */
  readonly divisor: number;
  /** Nanoseconds that one count stands for; 0 when it is no time. */
  readonly periodNs: number;
}

/** Replaced as a whole with every increment. */
export interface CaptureDescription {
  readonly facts: CaptureFacts;
  readonly counted: CountedValue;
}
