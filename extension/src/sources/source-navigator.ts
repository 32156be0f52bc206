// From what a capture says about a place in code to a place in the editor.

import type * as vscode from "vscode";
import type { FunctionFacts } from "../capture/questions.js";

/** Where a function's source is. */
export interface SourceNavigator {
  /** The file in the workspace (or of the installed OTP); undefined when there is none. Never asks the user. */
  find(fn: FunctionFacts): Promise<vscode.Uri | undefined>;
  /** Opens the line in today's text (lines of the capture are mapped through drift); asks the user to pick when several files fit, says why when none does. */
  open(fn: FunctionFacts, line: number): Promise<void>;
}
