// The shapes of the queries to a capture and of their answers, as far as pages need them. Counts are samples.

import type { FRAME_KINDS, GroupBy } from "./flame-data.js";
import type { SampleClass } from "./protocol.generated.js";

export type FrameKindName = (typeof FRAME_KINDS)[number];

/** Which samples count. An absent member does not restrict. */
export interface SampleFilter {
  /** Scheduler labels as `facets().schedulers` names them; `''` is a thread that is none. */
  readonly schedulers?: readonly string[];
  /** Process names as `facets().processes` names them; `''` is no process. */
  readonly processes?: readonly string[];
  /** Nodes as `facets().nodes` names them; a capture of one VM has none. */
  readonly nodes?: readonly string[];
  /** `''` is a sample of a profile without classes. */
  readonly classes?: readonly (SampleClass | "")[];
  /** Milliseconds from the start of the capture, `to` excluded. */
  readonly timeMs?: { readonly from: number; readonly to: number };
  /** Only samples with a function whose name contains this, upper and lower case alike. */
  readonly focus?: string;
  /** Only samples without such a function. */
  readonly ignore?: string;
}

/** How stacks are shaped into a flame graph. */
export interface FlameOptions {
  /** Leaf at the top: callers are children. */
  readonly inverted: boolean;
  readonly hideNative: boolean;
  readonly hideKernel: boolean;
  /** Consecutive frames of one function become one. */
  readonly collapseRecursion: boolean;
  /** The kind of the first level below the root. */
  readonly groupBy: GroupBy;
}

export interface CaptureTotals {
  readonly samples: number;
  /** All but idle ones. */
  readonly busy: number;
}

/** The base of 100 % in all views: the busy samples, or all of them. */
export const PERCENT_OF = ["busy", "all"] as const;
export type PercentOf = (typeof PERCENT_OF)[number];

/** Samples that are 100 %. */
export function wholeOf({ samples, busy }: CaptureTotals, percentOf: PercentOf): number {
  return percentOf === "busy" ? busy : samples;
}

export interface ClassShare {
  /** Null in profiles without classes. */
  readonly sampleClass: SampleClass | null;
  readonly samples: number;
}

/** Time an Erlang function or line owns: it is the nearest Erlang frame, whatever C code it had called. */
export interface SelfAndTotal {
  readonly self: number;
  /** Anywhere in the stack, each sample once. */
  readonly total: number;
}

/** How functions and lines are compared with each other. */
export const ATTRIBUTIONS = ["own", "self", "total"] as const;
export type Attribution = (typeof ATTRIBUTIONS)[number];

export interface Counts extends SelfAndTotal {
  /**
   * Samples whose innermost frame of the user's own code is here, with everything that it called. 0 while it is unknown
   * which code is own.
   */
  readonly own: number;
}

/** The choices of the blame panel: the groups, then native functions by total samples. */
export interface BlameChoice {
  readonly query: string;
  readonly isGroup: boolean;
  readonly samples: number;
}

/** The samples of one node of a merged capture. */
export interface NodeShare extends CaptureTotals {
  readonly name: string;
  readonly classes: readonly ClassShare[];
}

export interface Facet {
  readonly value: string;
  readonly samples: number;
}

/** Figures of a VM over time, by the names of their tracks; `…Rate` is per second. */
export const TRACK_NAMES = [
  "runQueue",
  "memory",
  "rss",
  "largestMailbox",
  "waitingMessages",
  "processes",
  "collectionRate",
  "reductionRate",
  "contextSwitchRate",
  "ioInRate",
  "ioOutRate",
] as const;
export type TrackName = (typeof TRACK_NAMES)[number];

/** One of them, in the buckets of a timeline: the most that was read in each (of a rate the mean); NaN where nothing was. */
export interface TimelineTrack {
  readonly name: TrackName;
  /** The VM of the track, as `facets().nodes` names it; absent in a capture of one VM. */
  readonly node?: string;
  readonly values: Float64Array;
}

/** A time of which a capture has nothing, milliseconds after its start. */
export interface TimeGap {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Collections and calls that can keep a scheduler for long, in the order of their numbers in files, from 1 on. */
export const STAY_KINDS = ["collection", "minorCollection", "majorCollection", "nif", "bif", "native"] as const;
export type StayKind = (typeof STAY_KINDS)[number];

/**
 * A long collection or call: two or more samples of one scheduler prove that they are of the same one, and it lasted at least from
 * the first of them to the last. Texts are empty when they are not known.
 */
export interface Stay {
  /** Milliseconds after the start of the capture. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: StayKind;
  readonly scheduler: string;
  readonly pid: string;
  /** Registered name or initial call. */
  readonly process: string;
  /** The innermost Erlang function. */
  readonly functionName: string;
  /** The function that it called. */
  readonly called: string;
  /** The VM, as `facets().nodes` names it; absent in a capture of one VM. */
  readonly node?: string;
}

/** Samples over time: `samples[class][bucket]`, all buckets of `bucketMs`. */
export interface Timeline {
  readonly bucketMs: number;
  readonly durationMs: number;
  readonly busy: Uint32Array;
  readonly idle: Uint32Array;
}
