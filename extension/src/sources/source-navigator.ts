// From what a capture says about a place in code to a place in the editor.

import type * as vscode from "vscode";
import type { FunctionFacts } from "../capture/questions.js";
import type { OpenCapture } from "../captures/capture-store.js";

/** Whose code it is: the user's own, that of a dependency of theirs, or OTP's, Elixir's and all other. */
export type OriginKind = "own" | "dependency" | "library";

export interface CodeOrigin {
  readonly kind: OriginKind;
  /** `shop`, `jason`, `stdlib`; empty when the path does not tell. */
  readonly application: string;
}

/** A folder of the workspace as it was when a capture was taken. */
export interface FolderThen {
  /** Its path, with slashes. */
  readonly workspaceFolder: string;
  readonly files: {
    /** Paths below the folder of the files with this name. */
    named(name: string): readonly string[];
    /** Undefined when nobody has it any more. */
    text(path: string): Promise<string | undefined>;
  };
}

/** Where a function's source is. */
export interface SourceNavigator {
  /** Whose code a function is; undefined for what has no Erlang source, and while that is not known yet. */
  originOf(opened: OpenCapture, functionIndex: number): CodeOrigin | undefined;
  /** Has the capture told which of its functions are the user's own code, if it has not been. */
  tellOwnCode(opened: OpenCapture): Promise<void>;
  /** Functions of the capture that were the user's own code then. */
  ownCodeThen(opened: OpenCapture, folders: readonly FolderThen[]): Promise<readonly number[]>;
  /** The user's own sources that the capture names, as far as they are found. */
  filesOf(opened: OpenCapture): Promise<readonly vscode.Uri[]>;
  /** Where rules about paths say that a file is which a VM reports: absolute paths of this machine. None: it is not here. Undefined: they say nothing. */
  ruledFiles(reported: string): readonly string[] | undefined;
  /**
   * Opens the line in today's text (lines of the capture are mapped through drift); asks the user to pick when several files fit, and shows why when none does.
   * @param opened the capture that holds the function; undefined when none does
   */
  open(fn: FunctionFacts, line: number, opened: OpenCapture | undefined): Promise<void>;
}
