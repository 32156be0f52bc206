// From the data of a capture on a place in code to a place in the editor.

import type * as vscode from "vscode";
import type { FunctionFacts } from "../capture/questions.js";
import type { OpenCapture } from "../captures/capture-store.js";

/** Whose code it is: the user's own, that of a dependency, or that of OTP, Elixir and all others. */
export type OriginKind = "own" | "dependency" | "library";

export interface CodeOrigin {
  readonly kind: OriginKind;
  /** `shop`, `jason`, `stdlib`; empty when the path does not show it. */
  readonly application: string;
}

/** A folder of the workspace as it was when a capture was taken. */
export interface FolderThen {
  /** Its path, with slashes. */
  readonly workspaceFolder: string;
  readonly files: {
    /** Paths below the folder of the files with this name. */
    named(name: string): readonly string[];
    /** Undefined when the text no longer exists. */
    text(path: string): Promise<string | undefined>;
  };
}

/** Where a function's source is. */
export interface SourceNavigator {
  /** The origin of a function; undefined for a function without Erlang source, and while it is not known yet. */
  originOf(opened: OpenCapture, functionIndex: number): CodeOrigin | undefined;
  /** Marks in the capture which of its functions are the user's own code, unless it has been done. */
  findOwnCode(opened: OpenCapture): Promise<void>;
  /** Functions of the capture that were the user's own code then. */
  ownCodeThen(opened: OpenCapture, folders: readonly FolderThen[]): Promise<readonly number[]>;
  /** The user's own sources that the capture names, as far as they are found. */
  filesOf(opened: OpenCapture): Promise<readonly vscode.Uri[]>;
  /**
   * The places of a file that a VM reports, by the rules about paths: absolute paths of this machine. None: it is not
   * here. Undefined: no rule applies.
   */
  ruledFiles(reported: string): readonly string[] | undefined;
  /**
   * Opens the line in today's text (lines of the capture are mapped through drift); prompts the user to pick when
   * several files fit, and shows why when none does.
   * @param opened the capture that holds the function; undefined when none does
   */
  open(fn: FunctionFacts, line: number, opened: OpenCapture | undefined): Promise<void>;
  /** Opens a file at a line of today's text, from 1, where text is shown already: not over a panel. */
  showLine(file: vscode.Uri, line: number): Promise<void>;
}
