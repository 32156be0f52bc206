// Everything that crosses between the extension host and the panel with the history of a program.

import type {
  HistoryNoise,
  HistoryPoint,
  HistoryStep,
  LatestPlace,
  Measure,
  SeriesOf,
} from "../editor-module.generated.js";
import type { ComparedNote } from "./compare.js";

/** A commit on the axis. Texts are made fit to be shown. */
export interface ShownCommit {
  /** `v1.2-3-gab12cd3`, or the name of a file that names no commit. */
  readonly name: string;
  /** First line of the commit's message; empty where the repository does not have it. */
  readonly subject: string;
  /** When it was made, milliseconds since 1970; where the repository does not have it, its first capture; 0 when not known. */
  readonly madeUnixMs: number;
  /** Names of files. */
  readonly captures: readonly string[];
}

export interface ShownStep extends Omit<HistoryStep, "notes"> {
  readonly notes: readonly ComparedNote[];
}

export interface ShownLatest {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** The number of commits that it is compared with. */
  readonly commits: number;
  readonly place: LatestPlace;
}

export interface ShownSeries {
  readonly of: SeriesOf;
  /** Empty for the whole program. */
  readonly functionName: string;
  readonly measure: Measure;
  /** One for each commit. */
  readonly points: readonly HistoryPoint[];
  readonly steps: readonly ShownStep[];
  readonly latest: ShownLatest | null;
  /** How the captures of the newest commit differ from those before it, which alone may move its figure. */
  readonly unlike: readonly ComparedNote[];
  readonly noise: HistoryNoise;
}

export interface ShownHistory {
  /** The unit of work; empty when there is none. */
  readonly work: string;
  /** The oldest first. */
  readonly commits: readonly ShownCommit[];
  /** The whole program first. */
  readonly series: readonly ShownSeries[];
  /** Remarks for the user about all of it, in the user's language. */
  readonly remarks: readonly string[];
  /** The same of the helper, which the page has words for. */
  readonly notes: readonly ComparedNote[];
  /** Why it is not known how the newest commit compares, in the user's language. */
  readonly doubts: readonly string[];
  /** Captures that were left out, each with why, in the user's language. */
  readonly skipped: readonly string[];
}

export interface HistoryProblem {
  readonly type: "problem";
  readonly what: string;
  readonly why: string;
}

export type ToWebview =
  | { readonly type: "busy"; readonly done: number; readonly all: number }
  | { readonly type: "cancelled" }
  | HistoryProblem
  /** `functions` are those that it was made for. */
  | { readonly type: "history"; readonly history: ShownHistory; readonly functions: readonly string[] };

/** The state that the editor keeps with the panel. */
export interface SavedState {
  readonly functions: readonly string[];
  /** The series in sight. */
  readonly shown: Pick<ShownSeries, "of" | "functionName">;
}

export type ToHost =
  | { readonly type: "ready"; readonly saved: Partial<SavedState> }
  | { readonly type: "cancel" }
  /** Once more: captures may have come. */
  | { readonly type: "again" }
  | { readonly type: "chooseFunctions" }
  /** To compare a commit with the one before. */
  | { readonly type: "compare"; readonly commit: number };
