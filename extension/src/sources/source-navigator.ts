// From what a capture says about a place in code to a place in the editor.

import type { FunctionFacts } from "../capture/questions.js";
import type { OpenCapture } from "../captures/capture-store.js";

/** Whose code it is: the user's own, that of a dependency of theirs, or OTP's, Elixir's and all other. */
export type OriginKind = "own" | "dependency" | "library";

export interface CodeOrigin {
  readonly kind: OriginKind;
  /** `shop`, `jason`, `stdlib`; empty when the path does not tell. */
  readonly application: string;
}

/** Where a function's source is. */
export interface SourceNavigator {
  /** Whose code a function is; undefined for what has no Erlang source, and while that is not known yet. */
  originOf(opened: OpenCapture, functionIndex: number): CodeOrigin | undefined;
  /**
   * Opens the line in today's text (lines of the capture are mapped through drift); asks the user to pick when several files fit, and shows why when none does.
   * @param opened the capture that holds the function; undefined when none does
   */
  open(fn: FunctionFacts, line: number, opened: OpenCapture | undefined): Promise<void>;
}
