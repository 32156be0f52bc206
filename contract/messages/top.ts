// Everything that crosses between the extension host and the top table. Columns travel as typed arrays: there may be 100,000 rows a second.

import type { CaptureHead, EmptyPage, PageRequest } from "./any-page.js";
import type { Sorting } from "./sorting.js";

/** What the host applies when it counts. */
export interface TopView {
  /** C time counts to the Erlang function that called it. */
  readonly onlyErlang: boolean;
  /** Idle samples do not count: 100 % is what the VM did. */
  readonly ofBusy: boolean;
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

export interface TopRows extends CaptureHead {
  readonly type: "rows";
  readonly view: TopView;
  /** What 100 % is. */
  readonly of: number;
  /** One entry a row; -1 for markers. */
  readonly functionIndex: Int32Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
  /** Names of the markers, in the order of their rows. */
  readonly markers: readonly string[];
  /** Rows of stripped C functions, and the nearest named function that called them. */
  readonly calledFromRows: Uint32Array;
  readonly calledFromNames: readonly string[];
}

export type ToWebview = TopFunctions | TopRows | EmptyPage;

export type ToHost =
  { readonly type: "ready"; readonly saved: Partial<SavedState> } | { readonly type: "view"; readonly view: TopView } | { readonly type: "blame"; readonly functionIndex: number } | PageRequest;

export interface SavedState {
  readonly uri: string;
  readonly view: TopView;
  readonly sorting: Sorting;
  readonly filter: string;
  readonly kind: string;
  readonly selected: string;
  readonly scrollTop: number;
}
