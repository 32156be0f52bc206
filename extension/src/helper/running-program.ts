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

/** What to do about a program that answers, and not as it should. */
export interface HandshakeAdvice {
  /** It is another program. */
  readonly noHelper: string;
  /** It is another version of the helper. @param version of the protocol that it speaks; undefined when it does not say */
  otherVersion(version: number | undefined): string;
}

export interface RunningProgram {
  /** The program on this machine; it ends with the helper. */
  readonly child: ProgramProcess;
  /** JSON-RPC to the helper. */
  readonly input: Writable;
  /** JSON-RPC of the helper, and nothing else. */
  readonly output: Readable;
  /** Its name in messages: its path, and its host if it is not here. */
  readonly name: string;
  /** The remedy when its version does not fit; absent for a program that the settings name. */
  readonly advice?: HandshakeAdvice;
  /** Why it is gone, after it had answered. @param how one clause @returns one clause */
  gone(how: string): string;
  /** The error when it ended before it answered. @param how one clause */
  endedEarly(how: string): HelperError;
}
