// The data of a capture for one file, in the lines of the text as it is now.

import type * as vscode from "vscode";
import type { OpenCapture } from "../captures/capture-store.js";
import type { RuleUse } from "./rule-use.js";

/** How a line the VM ran relates to today's text. `unknown`: there was no text to compare with. */
export type LineState = "exact" | "moved" | "changed" | "gone" | "unknown";

export interface MappedLine {
  readonly functionIndex: number;
  /** Line in the text the VM runs, from 1. */
  readonly capturedLine: number;
  /** Line today, from 1; 0 when it is gone. */
  readonly line: number;
  readonly state: LineState;
  /** The function whose text the line is of, `handle_event/3`, where the compiler has put it into this one. */
  readonly inlinedFrom?: string;
}

export interface MappedFunction {
  readonly functionIndex: number;
  /** Where its lens goes: line of the head today, from 1; 0 when the function is gone. */
  readonly line: number;
  /** Last line today, from 1; the head line when it is not known. */
  readonly endLine: number;
  /** Its name in the code that the VM runs, `pp_string/4`, where the text has it under another name. */
  readonly formerName?: string;
}

export interface MappedFile {
  /** Functions of the capture in this file, by line; each once, whatever its clauses. Funs and comprehensions (`'-sales/1-lc$^0/1-0-'/2`) are functions of their own, at their own head line. */
  readonly functions: readonly MappedFunction[];
  /** Every line with samples of the type that is shown. */
  readonly lines: readonly MappedLine[];
  /** `differs`: no text is known that the VM can have compiled. */
  readonly fit: "same" | "edited" | "differs";
  /** The rule about paths that had a say in this being the file; absent when none had. */
  readonly rule?: RuleUse;
}

/** Maps captures onto open documents. */
export interface FileMapper {
  /** Other files may be the sources than were so far: files came or went, or the user picked one. */
  readonly onDidChange: vscode.Event<void>;
  /** Undefined when the capture has nothing in this document. Cached: cheap while neither text nor capture changed. */
  map(document: vscode.TextDocument, opened: OpenCapture): Promise<MappedFile | undefined>;
  /** Lines with samples, none of which are of the type that is shown. Not cached. */
  otherLines(document: vscode.TextDocument, opened: OpenCapture): Promise<readonly MappedLine[]>;
  /** Files of the workspace with samples, hottest first: for going to the next hot line across files. */
  filesOf(opened: OpenCapture): Promise<readonly vscode.Uri[]>;
}
