// Everything that crosses between the extension host and the panel that compares captures. Columns travel as typed arrays: there may be 100,000 functions.

import type {
  Gate,
  MatchedBy,
  Measure,
  Method,
  MovedKind,
  NoteKind,
  RefusalKind,
  Remark,
  RowGroup,
  TrackChange,
  Verdict,
  Whole,
} from "../editor-module.generated.js";
import type { FlameOptions } from "../capture-answers.js";
import type { FlameData } from "../flame-data.js";
import type { FrameKind } from "../protocol.generated.js";
import type { Sorting } from "./sorting.js";
import type { AskingWhose, WhoseLines, WhoseToHost } from "./whose-line.js";

export const VERDICTS = [
  "slower",
  "faster",
  "new",
  "gone",
  "noise",
  "too_few",
  "not_matched",
] as const satisfies readonly Verdict[];
const CHANGES: ReadonlySet<Verdict> = new Set(["slower", "faster", "new", "gone"]);
/** Whether it claims that something changed. */
export const isChange = (verdict: Verdict): boolean => CHANGES.has(verdict);
export const MATCHES = [
  "name",
  "caller",
  "closure",
  "renamed_file",
  "body",
  "position",
  "arity",
] as const satisfies readonly MatchedBy[];
export const GROUPS = ["own", "other", "runtime"] as const satisfies readonly RowGroup[];
/** Whether the commit changed the code of a function, as far as that is known. */
export const TOUCHES = ["touched", "untouched", "unknown"] as const;
/** Times that a function can be compared by. */
export const FIGURES = ["own", "self", "total"] as const;
export type Figure = (typeof FIGURES)[number];
export const MEASURES = ["share", "cpu", "work"] as const satisfies readonly Measure[];

/** One entry a row. */
export interface Changes {
  /** In the unit of the measure. */
  readonly base: Float64Array;
  readonly new: Float64Array;
  /** Percent, as are the ends of the interval; NaN where a side has nothing. */
  readonly change: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Indexes into VERDICTS. */
  readonly verdict: Uint8Array;
}

export interface ComparedFunctions {
  /** Cut and made visible by the host, as are the places and modules. */
  readonly names: readonly string[];
  /** On the older side, of the rows where it differs. */
  readonly baseNames: Readonly<Record<number, string>>;
  /** Indexes into MATCHES; -1 for a function of one side. */
  readonly matchedBy: Int8Array;
  readonly kinds: readonly FrameKind[];
  /** `shop.erl:12`, empty where it is not known. */
  readonly places: readonly string[];
  readonly modules: readonly string[];
  /** Index into `modules`. */
  readonly module: Uint32Array;
  /** Null when no capture distinguishes own code. */
  readonly own: Changes | null;
  /** Indexes into GROUPS. */
  readonly group: Uint8Array;
  /** Indexes into TOUCHES. */
  readonly touched: Uint8Array;
  /** Of the rows that have one. */
  readonly remarks: Readonly<Record<number, Remark>>;
  /** Of the rows that do nothing but call another row and have its total: that row. */
  readonly wraps: Readonly<Record<number, number>>;
  readonly self: Changes;
  readonly total: Changes;
}

export interface ComparedClasses {
  /** Classes of samples; null for samples of profiles without classes. */
  readonly classes: readonly (string | null)[];
  readonly changes: Changes;
}

/** The functions that cause native work. */
export interface ComparedBlame {
  readonly classes: readonly string[];
  /** The nearest Erlang function of each. */
  readonly names: readonly string[];
  readonly changes: Changes;
}

export interface ComparedSide {
  readonly name: string;
  /** Captures that were pooled. */
  readonly captures: readonly string[];
  readonly samples: number;
  readonly busy: number;
  readonly seconds: number;
  /** Units of work that were done; null where they are not known. */
  readonly work: number | null;
}

export interface ComparedNote {
  readonly kind: NoteKind;
  readonly values: readonly string[];
  /** In English, for a page that has no words of its own for it. */
  readonly text: string;
}

/** A condition of the setting `compare.failIf`, and its answer. */
export interface ComparedGate {
  readonly condition: string;
  /** Its answer, with the figures that a line has room for; null where it has none: `text` has the reason. */
  readonly gate: Gate | null;
  /** As the command line prints it, in English. */
  readonly text: string;
}
/** Conditions that are judged, and characters of one. */
export const MOST_CONDITIONS = 20;
export const LONGEST_CONDITION = 300;

/** Work that is done in another function than before. */
export interface ComparedMove {
  readonly kind: MovedKind;
  readonly function: string;
  /** The first of those that it was in or below. */
  readonly from: string;
  readonly to: string;
  /** In English, for a page that has no words of its own for it. */
  readonly text: string;
}

/** The captures to compare, by address. */
export interface Comparands {
  readonly base: readonly string[];
  readonly new: readonly string[];
  /** Null: work where every capture has counted it, else shares. */
  readonly measure: Measure | null;
  /** Captures with time in the kernel are compared with captures without it, too. */
  readonly anyway?: boolean;
  /** Remarks for the user about how they were chosen, in the editor's language. */
  readonly remarks?: readonly string[];
}

export interface ComparedCaptures {
  readonly type: "compared";
  readonly comparands: Comparands;
  readonly measure: Measure;
  /** The measures that the user can choose. */
  readonly measures: readonly Measure[];
  /** The unit of work; empty where that is not one and the same on both sides. */
  readonly work: string;
  readonly base: ComparedSide;
  readonly new: ComparedSide;
  readonly method: Method;
  /** The figures of the whole program; absent where the captures contain no processor time. */
  readonly whole?: Whole;
  /** Remarks for the user about the captures themselves and how they were chosen, in the editor's language. */
  readonly remarks: readonly string[];
  readonly notes: readonly ComparedNote[];
  /** In the order of the setting. */
  readonly gates: readonly ComparedGate[];
  readonly moved: readonly ComparedMove[];
  /** The VMs' own figures during the captures, where both sides have any. */
  readonly tracks?: readonly TrackChange[];
  readonly functions: ComparedFunctions;
  readonly classes: ComparedClasses;
  readonly blame: ComparedBlame;
  /** What the captures count; absent where it is samples. */
  readonly unit?: string;
}

/** Refusals that a reader may override. */
export const CHOICES = [
  "kernel_time",
  "several_commits",
  "other_project",
  "nothing_in_common",
] as const satisfies readonly RefusalKind[];
export type CompareChoice = (typeof CHOICES)[number];

/** Why there is no comparison. */
export interface CompareProblem {
  readonly type: "problem";
  readonly what: string;
  readonly why: string;
  /** The reader may compare them all the same: why they should not. */
  readonly choice?: CompareChoice;
}

/** How stacks are shaped into the graph of both sides. */
export interface GraphShape extends Omit<FlameOptions, "groupBy"> {
  /** Stacks that are gone have a place, as wide as they were. */
  readonly vanished: boolean;
}
export const DEFAULT_SHAPE: GraphShape = {
  inverted: false,
  hideNative: false,
  hideKernel: false,
  collapseRecursion: true,
  vanished: false,
};

export type ToWebview =
  | ComparedCaptures
  /** The graph of the last comparison. */
  | { readonly type: "graph"; readonly data: FlameData; readonly shape: GraphShape }
  | CompareProblem
  | AskingWhose
  | WhoseLines
  /** Work goes on, which the reader may cancel. */
  | { readonly type: "busy" }
  | { readonly type: "cancelled" }
  /** Nothing is chosen yet. */
  | { readonly type: "nothingChosen" };

export type ToHost =
  | WhoseToHost
  /** The page listens. */
  | { readonly type: "ready"; readonly saved: Partial<SavedState> }
  /** Lets the reader choose captures. */
  | { readonly type: "choose" }
  | { readonly type: "cancel" }
  | { readonly type: "again" }
  /** In spite of the problem, where that is a choice. */
  | { readonly type: "anyway" }
  /** Older and newer change places. */
  | { readonly type: "swap" }
  | { readonly type: "measure"; readonly measure: Measure }
  /** All conditions to judge, which the setting remembers. */
  | { readonly type: "failIf"; readonly conditions: readonly string[] }
  | { readonly type: "graph"; readonly shape: GraphShape }
  /** A frame of the graph: the newer side's function of that name. */
  | { readonly type: "openFrame"; readonly functionName: string; readonly line: number }
  /** Row of the functions. */
  | { readonly type: "openSource"; readonly row: number }
  /** The comparison, as a comment on a pull request. */
  | { readonly type: "copyMarkdown" }
  | { readonly type: "copyText"; readonly text: string };

/** Parts of the page that are tables. */
export const TABLES = ["functions", "classes", "blame"] as const;
export type Table = (typeof TABLES)[number];
export const TABS = [...TABLES, "graph"] as const;
export type Tab = (typeof TABS)[number];

export interface SavedState {
  readonly comparands: Comparands;
  readonly tab: Tab;
  readonly figure: Figure;
  /** A verdict, `changes` for all that are changes, or empty for all. */
  readonly verdict: string;
  /** Percent of the time of a side; 0 for none. */
  readonly minimum: number;
  readonly ownOnly: boolean;
  /** The inside of the runtime, and callers that only call another row, too. */
  readonly showAll: boolean;
  /** The functions without a change, too. */
  readonly unfolded: boolean;
  readonly module: string;
  readonly filter: string;
  readonly sorting: Sorting;
  readonly shape: GraphShape;
}
