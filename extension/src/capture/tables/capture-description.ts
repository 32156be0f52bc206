// A capture's description of itself, and which of its values is counted.

import type { SampleTypeId } from "../../../../contract/sample-types.generated.js";
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

/** One of the types of samples of a profile: its rows are apart from those of the others. */
export interface CountedType {
  /** Null for what another tool counted. */
  readonly id: SampleTypeId | null;
  /** The column with the number of samples, by which a row of this type is known where its value is 0. */
  readonly samples: number;
  readonly counted: CountedValue;
  /** In the plural: `samples`. */
  readonly unit: string;
}

/** Replaced as a whole with every increment. */
export interface CaptureDescription {
  /** With type and unit of those that are shown. */
  readonly facts: CaptureFacts;
  /** At least one, in the order of the rows in `ProfileTables`. */
  readonly types: readonly CountedType[];
}
