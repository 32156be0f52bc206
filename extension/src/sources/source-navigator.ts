// From what a capture says about a place in code to a place in the editor.

import type { FunctionFacts } from "../capture/questions.js";
import type { OpenCapture } from "../captures/capture-store.js";

/** Where a function's source is. */
export interface SourceNavigator {
  /**
   * Opens the line in today's text (lines of the capture are mapped through drift); asks the user to pick when several files fit, and shows why when none does.
   * @param opened the capture that holds the function; undefined when none does
   */
  open(fn: FunctionFacts, line: number, opened: OpenCapture | undefined): Promise<void>;
}
