// The panel that compares captures receives this about the commits that touched a function. All texts are cut and made
// visible by the extension host.

export const TOUCH_KINDS = ["lines", "function", "callee"] as const;

/** The part that a commit touched. */
export interface ShownTouch {
  /** The lines that the change is at, others of the function, or something that it calls. */
  readonly kind: (typeof TOUCH_KINDS)[number];
  /** Of the callee; else empty. */
  readonly name: string;
  /** `shop.erl:7`: where its difference begins. */
  readonly place: string;
  /** `7–8, 12`, in the text of that commit. */
  readonly lines: string;
  /** How much of the function's change the callee explains, 0 to 1; null where it is the function itself. */
  readonly explains: number | null;
}

export interface ShownCommit {
  /** Its short name; empty for uncommitted changes. */
  readonly commit: string;
  readonly subject: string;
  readonly author: string;
  /** Milliseconds since 1970; 0 when not known. */
  readonly authoredUnixMs: number;
  readonly isMerge: boolean;
  /** At least one, the best fit first. */
  readonly touches: readonly ShownTouch[];
}

/** A git query is running. */
export interface AskingWhose {
  readonly type: "askingWhose";
  /** Of the function. */
  readonly name: string;
}

export interface WhoseLines {
  readonly type: "whoseLines";
  readonly name: string;
  /** Short names and how many commits lie between; null where there is no such range. */
  readonly range: { readonly older: string; readonly newer: string; readonly count: number | null } | null;
  /** The best fit first. */
  readonly commits: readonly ShownCommit[];
  /** Remarks for the user, in the editor's language. */
  readonly notes: readonly string[];
}

export type WhoseToHost =
  /** Row of the functions. */
  | { readonly type: "whoseLine"; readonly row: number }
  | { readonly type: "stopWhoseLine" }
  /** Opens the difference that a commit made; the numbers refer to the last answer. */
  | { readonly type: "openTouch"; readonly commit: number; readonly touch: number };
