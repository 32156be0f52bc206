// What can be asked of a capture, and the shape of the answers. Counts are samples; no vscode in here.

import type { FrameKindName, SampleFilter, FlameOptions, CaptureTotals, ClassShare, SelfAndTotal, BlameChoice, Facet, Timeline } from "../../../contract/capture-answers.js";
import type { FlameData } from "../../../contract/flame-data.js";
import type { QualityRecord } from "../../../contract/protocol.generated.js";

/** A function of a capture. Its index in `Capture.functions` stays the same while the capture grows. */
export interface FunctionFacts {
  /** As shown: `lists:sort/1`, `Enum.map/2`, `copy_struct_x`. */
  readonly name: string;
  /** As the VM or linker spells it: `'Elixir.Enum':map/2`; equal to `name` in foreign profiles. */
  readonly rawName: string;
  readonly kind: FrameKindName;
  /** Source file as the VM reports it; empty when unknown. */
  readonly file: string;
  /** Line of the function head; 0 when unknown. */
  readonly headLine: number;
  /** `beam.smp`, `crypto.so`, `[kernel]`, `[erlang]`; empty when unknown. */
  readonly object: string;
}

export interface LineCounts extends SelfAndTotal {
  readonly line: number;
}

export interface NeighbourCounts {
  readonly functionIndex: number;
  /** Line of the call with most samples: in the neighbour for callers, in the asked line's function for callees. 0 when unknown. */
  readonly line: number;
  readonly samples: number;
}

/** Everything a hover or menu says about a function or one of its lines. */
export interface PlaceDetail extends SelfAndTotal {
  /** Owned samples by class, largest first. */
  readonly classes: readonly ClassShare[];
  readonly callers: readonly NeighbourCounts[];
  readonly callees: readonly NeighbourCounts[];
}

export interface TopRow extends SelfAndTotal {
  readonly name: string;
  /** -1 for markers such as `[unproven]` that are no function. */
  readonly functionIndex: number;
  readonly kind: FrameKindName;
  readonly file: string;
  readonly line: number;
  /** For stripped C names: the nearest named function most samples were called from; else empty. */
  readonly calledFrom: string;
}

export interface TopAnswer extends CaptureTotals {
  /** Most self first. */
  readonly rows: readonly TopRow[];
}

export interface BlameCaller {
  readonly name: string;
  /** -1 for markers. */
  readonly functionIndex: number;
  readonly file: string;
  /** Hottest call line, else the head; 0 when unknown. */
  readonly line: number;
  /** Bracketed: the call was made here or below. */
  readonly atOrBelow: boolean;
  readonly samples: number;
  readonly callers: readonly BlameCaller[];
}

export interface BlameAnswer extends CaptureTotals {
  readonly query: string;
  /** Native symbols that matched. */
  readonly symbols: readonly string[];
  readonly matched: number;
  /** Nearest Erlang functions, most samples first; they add up to `matched`. */
  readonly callers: readonly BlameCaller[];
}

export interface Facets {
  readonly schedulers: readonly Facet[];
  readonly processes: readonly Facet[];
  readonly classes: readonly Facet[];
}

/** The VM as the capture file describes it; fields that are not known are empty. */
export interface RecordedTarget {
  readonly pid: number;
  readonly otpRelease: string;
  readonly ertsVersion: string;
  readonly flavor: string;
  readonly node: string;
  readonly host: string;
  readonly command: string;
}

export interface CaptureFacts {
  /** Null in profiles of other tools. */
  readonly target: RecordedTarget | null;
  /** Null when the capture does not say. */
  readonly quality: QualityRecord | null;
  /** Milliseconds since 1970; 0 when unknown. */
  readonly startedUnixMs: number;
  readonly durationMs: number;
  /** Samples per second and thread; 0 when unknown. */
  readonly frequencyHz: number;
  /** What is counted: `samples` with our own captures, else `unit of type` of the foreign profile's default value. */
  readonly unit: string;
  /** Written by this program. */
  readonly isOwn: boolean;
  /** The file lacks its end, as when its writer was killed: what was complete before is here. */
  readonly isCut?: boolean;
}

/** A capture in memory. Implemented by `capture-model.ts`. */
export interface Capture {
  /** Grows with every `append`. */
  readonly revision: number;
  readonly facts: CaptureFacts;
  readonly totals: CaptureTotals;
  readonly functions: readonly FunctionFacts[];
  /** Appends one gzip member (or several). Throws `CaptureError` and stays as it was when it makes no sense. */
  append(gzip: Uint8Array): void;
  /** Unfiltered, kept up to date by `append`: cheap to ask once a second. */
  functionCounts(functionIndex: number): SelfAndTotal;
  /** Lines of one function, by line; unfiltered, cheap. */
  functionLines(functionIndex: number): readonly LineCounts[];
  /** `line` absent: the whole function. */
  placeDetail(functionIndex: number, line?: number): PlaceDetail;
  classSplit(filter?: SampleFilter): readonly ClassShare[];
  filteredTotals(filter?: SampleFilter): CaptureTotals;
  top(filter?: SampleFilter, onlyErlang?: boolean): TopAnswer;
  blame(query: string, filter?: SampleFilter): BlameAnswer;
  blameChoices(): readonly BlameChoice[];
  flame(options: FlameOptions, filter?: SampleFilter): FlameData;
  /** Function in the middle: `callers` inverted, `callees` not; node 0 of both carries its name. Null when it has no samples. */
  sandwich(functionIndex: number, options: FlameOptions, filter?: SampleFilter): { readonly callers: FlameData; readonly callees: FlameData } | null;
  /** Index of the function with this shown name and most samples; -1 when there is none. */
  functionNamed(name: string): number;
  facets(): Facets;
  timeline(bucketCount: number): Timeline;
}
