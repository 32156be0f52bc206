// The queries of a capture, and the shape of the answers. Counts are samples, or of the unit in the facts; no vscode in here.

import type {
  FrameKindName,
  SampleFilter,
  FlameOptions,
  CaptureTotals,
  ClassShare,
  BlameChoice,
  Counts,
  Facet,
  NodeShare,
  Stay,
  TimeGap,
  Timeline,
  TimelineTrack,
} from "../../../contract/capture-answers.js";
import type { BuildFacts } from "../../../contract/editor-module.generated.js";
import type { FlameData } from "../../../contract/flame-data.js";
import type {
  OriginFacts,
  QualityRecord,
  SampleClass,
  ProcessorLimits,
  SchedulersOnline,
  WaitsGraph,
} from "../../../contract/protocol.generated.js";
import type { SampleTypeId } from "../../../contract/sample-types.generated.js";
import type { CaptureError } from "./capture-error.js";

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

export interface LineCounts extends Counts {
  readonly line: number;
}

export interface NeighbourCounts {
  readonly functionIndex: number;
  /**
   * Line of the call with most samples: in the neighbour for callers, in the queried line's function for callees. 0
   * when unknown.
   */
  readonly line: number;
  readonly samples: number;
}

/** The functions that own code called, for the samples that count for it. */
export interface CalledShare {
  /** The Erlang function or BIF that was called; -1 when it was none: C code of one class, or the own code itself. */
  readonly functionIndex: number;
  /** Of samples without such a function; `erlang` is the own code itself. Null in profiles without classes. */
  readonly sampleClass: SampleClass | null;
  readonly samples: number;
}

/** The contents of a hover or menu for a function or one of its lines. */
export interface PlaceDetail extends Counts {
  /** The samples of `own` by called function, most first. */
  readonly called: readonly CalledShare[];
  /** Owned samples by class, largest first. */
  readonly classes: readonly ClassShare[];
  readonly callers: readonly NeighbourCounts[];
  readonly callees: readonly NeighbourCounts[];
}

/** How functions are counted. */
export interface TopOptions {
  readonly onlyErlang?: boolean;
  readonly withAddresses?: boolean;
}

export interface TopRow extends Counts {
  readonly name: string;
  /** -1 for markers such as `[unproven]` that are no function, and for unnamed code that is one row. */
  readonly functionIndex: number;
  /** A function that it is made of; -1 for markers. */
  readonly oneOf: number;
  readonly kind: FrameKindName;
  readonly file: string;
  readonly line: number;
  /** For stripped C names: the nearest named function most samples were called from; else empty. */
  readonly calledFrom: string;
}

export interface TopAnswer extends CaptureTotals {
  /** Samples with a frame of own code that is known to be the innermost one. */
  readonly own: number;
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
  /** Empty in a capture of one VM. */
  readonly nodes: readonly Facet[];
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
  /** Its file names are not those of the machine that it ran on: it was in a container, or its place is unknown. */
  readonly hasOtherFiles?: boolean;
}

/** The machine during the capture; texts are empty and numbers 0 when the fact is not known. */
export interface RecordedHost {
  readonly cpuModel: string;
  readonly governor: string;
  readonly cpus: number;
  /** Frequency of the fastest processor at each reading, MHz: mean, lowest, highest. Absent where the kernel reports no measured one. */
  readonly mhz?: readonly [number, number, number];
  /** Average of the last minute, at the start. Absent in later files of one capture. */
  readonly load?: number;
  /** Other processes that took more than 5 % of a CPU, most first. */
  readonly busy: readonly { readonly name: string; readonly cpuPercent: number }[];
}

/** A counter of work, read when the capture began and when it had ended. */
export interface RecordedWork {
  /** The unit of work: `orders`. */
  readonly name: string;
  readonly atStart: number;
  /** Milliseconds since 1970. */
  readonly startUnixMs: number;
  /** Null until the end, and when it could not be read then. */
  readonly atEnd: number | null;
  readonly endUnixMs: number;
  /** Why it could not be read at the end, in English. */
  readonly problem: string;
}

/** The user's note, tags and pin of a capture. */
export interface UserFacts {
  readonly note: string;
  readonly tags: readonly string[];
  /** Kept when old captures are deleted. */
  readonly pinned: boolean;
}

/** How many milliseconds the clock of the machine was ahead of the one that captured, at the start and at the end. */
export interface ClockFacts {
  readonly aheadMs: number;
  readonly aheadAtEndMs: number;
}

/** How many processes and ports waited for a normal scheduler, by the VM's own run queues, read about once a second. */
export interface RunQueue {
  readonly readings: number;
  readonly mean: number;
  readonly most: number;
  readonly last: number;
}

/** A VM's readings of itself, one value for each reading; NaN where a reading lacks the value. */
export interface NodeReadings {
  /** Milliseconds after the beginning of the capture. */
  readonly atMs: number[];
  readonly runQueue: number[];
  readonly memory: number[];
  readonly rss: number[];
  readonly largestMailbox: number[];
  readonly waitingMessages: number[];
  readonly processes: number[];
  /** These count since the VM started. */
  readonly collections: number[];
  readonly reductions: number[];
  readonly contextSwitches: number[];
  readonly ioIn: number[];
  readonly ioOut: number[];
}

/** One VM of a capture of several. */
export interface NodeFacts {
  /** As `facets().nodes` names it: no two are called alike. */
  readonly name: string;
  readonly target: RecordedTarget | null;
  readonly quality: QualityRecord | null;
  readonly startedUnixMs: number;
  readonly durationMs: number;
  /** Absent when its capture does not say. */
  readonly runQueue?: RunQueue;
  /** How far its clock was ahead of this machine's; what its times are put right by. */
  readonly clockAheadMs: number;
  /** The same at the end; absent before, and where it was not measured. */
  readonly clockAheadAtEndMs?: number;
  /** Why samples of it are missing here that its own file has; absent when none are. */
  readonly problem?: CaptureError;
}

/** How long the processes of one name were found at what, seconds of all of them together. */
export interface FoundTimes {
  /** For a message, or suspended. */
  readonly waitingSeconds: number;
  /** For a scheduler. */
  readonly readySeconds: number;
  readonly runningSeconds: number;
  /** They ended just then. */
  readonly endingSeconds: number;
}

export interface NameTimes extends FoundTimes {
  /** Registered name, else label, else initial call. */
  readonly name: string;
  /** Of those without a registered name that ran: samples of processor time call them something else. */
  readonly pids: readonly string[];
}

/** The facts of a watch of where processes wait. */
export interface WaitFacts {
  readonly pid: number;
  readonly node: string;
  readonly otpRelease: string;
  readonly looks: number;
  /** The time that its looks stand for; processes × this is the sum of all times. */
  readonly lookedSeconds: number;
  /** When the last look was, after its beginning. */
  readonly untilSeconds: number;
  /** The VM ended during the watch, so that the capture ends then. */
  readonly hasEnded: boolean;
  /** Which schedulers might run at the end; null where that is not known, and in a capture that lacks it. */
  readonly schedulers: SchedulersOnline | null;
  /** What limited the VM's processors; null in a capture that lacks it. */
  readonly processors: ProcessorLimits | null;
  readonly names: readonly NameTimes[];
  /** Of all further names. */
  readonly rest: FoundTimes;
  /** Absent in a capture without the waits between processes. */
  readonly lastLook?: LastWaits;
}

/** The last look of such a watch. */
export interface LastWaits {
  readonly processes: number;
  /** Those that waited, and whose stack is known. */
  readonly waiting: number;
  readonly graph: WaitsGraph;
  /** No more fitted into the capture, so the watch ended early. */
  readonly full: boolean;
}

/** The facts of another tool's profile that was converted to a capture. */
export interface ImportedProfile {
  /** `speedscope`. */
  readonly format: string;
  /** Omissions and assumptions, one sentence each, in English. */
  readonly notes: readonly string[];
}

export interface CaptureFacts {
  /** Null in profiles of other tools. */
  readonly target: RecordedTarget | null;
  /** Null when the capture lacks it. */
  readonly quality: QualityRecord | null;
  /** Absent when the capture lacks it, as are the next four. */
  readonly origin?: OriginFacts;
  readonly build?: BuildFacts;
  readonly host?: RecordedHost;
  readonly work?: RecordedWork;
  /** Absent when it was not compared with another. */
  readonly clock?: ClockFacts;
  /** It was taken on another host than where it was kept. */
  readonly isFromElsewhere?: boolean;
  /** Absent when the capture has no reading. */
  readonly runQueue?: RunQueue;
  /** Absent when the capture has no reading; grows with it. */
  readonly readings?: NodeReadings;
  /** Long collections and calls, of very many the longest; absent when the capture has none. */
  readonly stays?: readonly Stay[];
  readonly user?: UserFacts;
  /** Of a converted profile of another tool; else absent. */
  readonly imported?: ImportedProfile;
  /** Of a capture of where processes wait; else absent. */
  readonly waits?: WaitFacts;
  /** The VMs of a capture of several; absent in a capture of one. */
  readonly nodes?: readonly NodeFacts[];
  /** Milliseconds since 1970; 0 when unknown. */
  readonly startedUnixMs: number;
  readonly durationMs: number;
  /** Samples per second and thread; 0 when unknown. */
  readonly frequencyHz: number;
  /** Whether kernel frames were requested; absent when the capture does not state it. */
  readonly includeKernel?: boolean;
  /**
   * The quantity that is counted: that of the type whose samples are shown, `samples` for processor time; else `unit of type` of the foreign
   * profile's default value.
   */
  readonly unit: string;
  /** The types of its samples, in the order of the file; absent where there is processor time alone, and in profiles of other tools. */
  readonly types?: readonly SampleTypeId[];
  /** Written by this program. */
  readonly isOwn: boolean;
  /** The file lacks its end, as when its writer was killed: everything complete before it is here. */
  readonly isCut?: boolean;
  /** The last end mark, as a number of the file format; absent where there is none. */
  readonly fileEnd?: number;
}

/** Answers about functions and lines, of the samples of one type. */
export interface PlaceAnswers {
  readonly totals: CaptureTotals;
  /** Unfiltered, kept up to date by `append`: cheap enough for a call once a second. */
  functionCounts(functionIndex: number): Counts;
  /** Lines of one function, by line; unfiltered, cheap. */
  functionLines(functionIndex: number): readonly LineCounts[];
  /** `line` absent: the whole function. */
  placeDetail(functionIndex: number, line?: number): PlaceDetail;
}

/** Those of a named type, whichever is shown. `totals` are as they were when these answers were requested. */
export interface TypedAnswers extends PlaceAnswers {
  readonly type: SampleTypeId;
  /** In the plural: `ms of blocked time`. */
  readonly unit: string;
}

/** A capture in memory: its answers are of the samples of the type that is shown. Implemented by `capture-model.ts`. */
export interface Capture extends PlaceAnswers {
  /** Grows with every `append`, and when another type is shown. */
  readonly revision: number;
  readonly facts: CaptureFacts;
  /** Nanoseconds that one count stands for; 0 when it is no time. */
  readonly periodNs: number;
  readonly functions: readonly FunctionFacts[];
  /** Appends one gzip member (or several). Throws `CaptureError` and stays as it was when it makes no sense. */
  append(gzip: Uint8Array): void;
  /** From now on all answers are of the samples of this type; the first one of the file before. @returns whether that is a change: false also where it has none of it */
  show(type: SampleTypeId): boolean;
  /** The answers of one type, whichever is shown: its samples are counted at the first request. Undefined where it has none of it. */
  of(type: SampleTypeId): TypedAnswers | undefined;
  /** Adds functions to the user's own code. @returns whether any of them is new */
  addOwnCode(functionIndexes: Iterable<number>): boolean;
  /** Forgets which functions are own code. */
  forgetOwnCode(): void;
  isOwnCode(functionIndex: number): boolean;
  /** Samples with a frame of own code that is known to be the innermost one. */
  readonly ownSamples: number;
  classSplit(filter?: SampleFilter): readonly ClassShare[];
  filteredTotals(filter?: SampleFilter): CaptureTotals;
  top(filter?: SampleFilter, options?: TopOptions): TopAnswer;
  /** With `onlyOwnCode` the callers are functions of own code only. */
  blame(query: string, filter?: SampleFilter, onlyOwnCode?: boolean): BlameAnswer;
  blameChoices(): readonly BlameChoice[];
  /** Whether a group of that name is among the choices: as cheap as a look-up in a list in captures by Extrospect. */
  isBlameGroup(query: string): boolean;
  /** @param groupName the name of a group, by its label; `''` is none */
  flame(options: FlameOptions, filter?: SampleFilter, groupName?: (value: string) => string): FlameData;
  /** Function in the middle, never grouped: `callers` inverted, `callees` not; node 0 of both carries its name. Null when it has no samples. */
  sandwich(
    functionIndex: number,
    options: FlameOptions,
    filter?: SampleFilter,
  ): { readonly callers: FlameData; readonly callees: FlameData } | null;
  /** Index of the function with this shown name and most samples; -1 when there is none. */
  functionNamed(name: string): number;
  facets(filter?: SampleFilter): Facets;
  /** What each node did, most busy first; empty in a capture of one VM. */
  nodeShares(filter?: SampleFilter): readonly NodeShare[];
  timeline(bucketCount: number): Timeline;
  /**
   * Times in that timeline without any data; none are known of a capture of several VMs, and of one without readings.
   */
  timeGaps(timeline: Timeline): readonly TimeGap[];
  /** The VM's readings of itself in the buckets of that timeline; of several VMs those of each, with its node. */
  tracks(timeline: Timeline): readonly TimelineTrack[];
  /** The longest collections and calls, at most so many, in the order of time; of several VMs those of each, with its node. */
  stays(most: number): readonly Stay[];
}
