// Everything that crosses between the extension host and the blame panel.

import type { BlameChoice, ClassShare, SelfAndTotal } from "../capture-answers.js";
import type { CaptureHead, EmptyPage, FunctionMark, FunctionSelected, PageRequest } from "./any-page.js";

/** One line of the tree of callers, as it is open now. Names are cut and made visible by the host. */
export interface BlameRow {
  /** Path from the top. */
  readonly key: string;
  readonly level: number;
  readonly position: number;
  readonly siblings: number;
  readonly expandable: boolean;
  readonly expanded: boolean;
  readonly name: string;
  /** -1 for markers. */
  readonly functionIndex: number;
  readonly place: string;
  readonly line: number;
  readonly atOrBelow: boolean;
  readonly samples: number;
}

export interface BlameShown {
  readonly matched: number;
  readonly symbols: readonly string[];
  readonly symbolCount: number;
  readonly rows: readonly BlameRow[];
  /** Rows that are too many to send. */
  readonly leftOut: number;
}

/** One function whose native work is in question. */
export interface FunctionInFocus extends SelfAndTotal {
  readonly name: string;
  readonly functionIndex: number;
  readonly classes: readonly ClassShare[];
  readonly callees: readonly { readonly name: string; readonly samples: number; readonly isNative: boolean }[];
}

export interface BlameData extends CaptureHead {
  readonly type: "data";
  readonly split: readonly ClassShare[];
  readonly choices: readonly BlameChoice[];
  /** Empty without a query. */
  readonly query: string;
  readonly answer: BlameShown | null;
  /** The causes are the user's own functions only. */
  readonly ownCode: boolean;
  /** The nodes of a capture of several; else empty. */
  readonly nodes: readonly string[];
  /** The one whose samples alone count; empty for all. */
  readonly node: string;
  readonly focus: FunctionInFocus | null;
  /** A requested function that this capture does not have; else empty. */
  readonly notFound: string;
}

export type ToWebview = BlameData | FunctionMark | EmptyPage;

export type ToHost =
  /** With what the page had before it was hidden. */
  | { readonly type: "ready"; readonly saved: Partial<SavedState> }
  | { readonly type: "ask"; readonly query: string }
  | { readonly type: "toggle"; readonly key: string; readonly open: boolean }
  | { readonly type: "node"; readonly node: string }
  | { readonly type: "leaveFunction" }
  | { readonly type: "copyTable"; readonly as: "text" | "markdown" }
  | FunctionSelected
  | PageRequest;

export interface SavedState {
  readonly uri: string;
  readonly query: string;
  readonly node: string;
  readonly functionName: string;
  readonly expanded: readonly string[];
  readonly selected: string;
  readonly symbolsOpen: boolean;
}
