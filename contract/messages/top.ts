// Everything that crosses between the extension host and the top table. Columns travel as typed arrays: there may be 100,000 rows a second.

import type { Attribution } from "../capture-answers.js";
import type { FlameData } from "../flame-data.js";
import type { CaptureHead, EmptyPage, FunctionMark, FunctionSelected, PageRequest } from "./any-page.js";
import type { Sorting } from "./sorting.js";

/** The table of functions, or the tree of their calls. */
export const TOP_TABS = ["functions", "tree"] as const;
export type TopTab = (typeof TOP_TABS)[number];

/** The choices that the extension host applies when it counts. */
export interface TopView {
  /** C time counts to the Erlang function that called it. */
  readonly onlyErlang: boolean;
  /** Idle samples do not count: 100 % is the busy samples. A setting of all views. */
  readonly ofBusy: boolean;
  /** C functions without a name each on its own. */
  readonly withAddresses: boolean;
  /** Only this node of a capture of several; empty for all. */
  readonly node: string;
}

/** The figures of one node of a merged capture, in samples. */
export interface TopNode {
  readonly name: string;
  readonly samples: number;
  readonly busy: number;
  readonly gc: number;
  readonly copy: number;
  readonly scheduler: number;
  /** How many processes and ports waited to be run; null when its capture does not contain that. */
  readonly runQueue: { readonly mean: number; readonly most: number; readonly last: number } | null;
  /** How many milliseconds its clock was ahead of this machine's. */
  readonly clockAheadMs: number;
  /** The same at the end of the capture; null before, and where it was not measured. */
  readonly clockAheadAtEndMs: number | null;
  /** Why samples of it are missing; empty when none are. */
  readonly problem: string;
}

/** Functions the page does not know yet. Names are cut and made visible by the host. */
export interface TopFunctions {
  readonly type: "functions";
  /** Index of the first; 0 forgets all before. */
  readonly from: number;
  readonly names: readonly string[];
  /** Indexes into FRAME_KINDS. */
  readonly kinds: Uint8Array;
  readonly places: readonly string[];
}

/** Whose functions a group holds. */
export const GROUP_KINDS = ["own", "dependency", "library", "nif", "runtime", "kernel", "marker"] as const;
export type GroupKind = (typeof GROUP_KINDS)[number];

/** Functions that belong together: an application, or a part of the code that runs below all of them. */
export interface TopGroup {
  readonly kind: GroupKind;
  /** Of the application or library; empty where the kind is enough. */
  readonly name: string;
}

export interface TopRows extends CaptureHead {
  readonly type: "rows";
  readonly view: TopView;
  /** The attribution that the views use. */
  readonly attribution: Attribution;
  readonly groups: readonly TopGroup[];
  /** The busiest first; empty in a capture of one VM. */
  readonly nodes: readonly TopNode[];
  /** The base of 100 %. */
  readonly of: number;
  /** One entry a row; -1 for markers, and for unnamed code that is one row. */
  readonly functionIndex: Int32Array;
  /** Index into `groups`. */
  readonly group: Uint32Array;
  readonly own: Float64Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
  /** Names and kinds, as indexes into FRAME_KINDS, of the rows that are no function, in their order. */
  readonly otherNames: readonly string[];
  readonly otherKinds: Uint8Array;
  /** Rows of stripped C functions, and the nearest named function that called them. */
  readonly calledFromRows: Uint32Array;
  readonly calledFromNames: readonly string[];
}

/** The calls behind the rows; sent after them while the tree is in sight. */
export interface TopTree {
  readonly type: "tree";
  readonly data: FlameData;
  /** Index in the capture of each function of `data`; -1 for none. */
  readonly functionIndex: Int32Array;
}

/** The row of a function is selected, whatever the page has filtered out. */
export interface TopReveal {
  readonly type: "reveal";
  readonly functionIndex: number;
}

export type ToWebview = TopFunctions | TopRows | TopTree | TopReveal | FunctionMark | EmptyPage;

export type ToHost =
  | { readonly type: "ready"; readonly saved: Partial<SavedState> }
  | { readonly type: "view"; readonly view: TopView }
  | { readonly type: "tab"; readonly tab: TopTab }
  | { readonly type: "blame"; readonly functionIndex: number }
  | FunctionSelected
  | PageRequest;

export interface SavedState {
  readonly uri: string;
  readonly view: TopView;
  readonly sorting: Sorting;
  /** The attribution that the views used when it was sorted. */
  readonly attribution: Attribution;
  readonly grouped: boolean;
  /** Groups that were opened or folded by hand. */
  readonly toggled: readonly string[];
  readonly filter: string;
  readonly kind: string;
  readonly selected: string;
  readonly scrollTop: number;
  /** Pixels by column, of those that the reader has changed. */
  readonly widths: Readonly<Record<string, number>>;
  readonly tab: TopTab;
  readonly treeWidths: Readonly<Record<string, number>>;
  /** Names of the call that is selected in the tree, from the outermost on. */
  readonly treePath: readonly string[];
}
