// A helper that was started, here or on another machine. No vscode in here.

import type { Readable, Writable } from "node:stream";
import type { HelperError } from "./helper-error.js";

/** What we need of a process. */
export interface ProgramProcess {
  readonly pid?: number | undefined;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  readonly stderr: Readable | null;
  once(event: "exit", listener: () => void): unknown;
  kill(signal?: NodeJS.Signals): boolean;
}

export interface RunningProgram {
  /** What was started on this machine; it ends with the helper. */
  readonly child: ProgramProcess;
  /** JSON-RPC to the helper. */
  readonly input: Writable;
  /** JSON-RPC of the helper, and nothing else. */
  readonly output: Readable;
  /** What it is called in messages: its path, and its host if it is not here. */
  readonly name: string;
  /** Why it is gone, after it had answered. @param how one clause @returns one clause */
  gone(how: string): string;
  /** What to say when it ended before it answered. @param how one clause */
  endedEarly(how: string): HelperError;
}
