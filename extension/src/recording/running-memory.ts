// The session that runs, remembered for the case that its window closes. No vscode in here.

import type { Member } from "./recording-group.js";
import { mayEndWithWindow } from "./session.js";

const STATE_KEY = "extrospect.runningCapture";
/** More are not captured together. */
const MOST_FILES = 64;

/** The capture of one VM. */
export interface RunningFile {
  /** Absolute path. */
  readonly file: string;
  /** Shown name of its target. */
  readonly name: string;
  /** It ended before the others of its start, and not with the window. */
  readonly hasEnded?: boolean;
}

/** The facts of running captures that are needed later; kept as JSON. */
export interface RunningCapture {
  readonly files: readonly RunningFile[];
  /** As requested, not the actual duration. */
  readonly durationSeconds: number;
  /** When they were started together. */
  readonly group?: {
    readonly tag: string;
    /** Arguments of `extrospect.attachSeveral` that capture the same again. */
    readonly again: object;
  };
}

/** Where an editor keeps the state of a workspace. */
export interface Memento {
  get(key: string): unknown;
  /** The new value is there at once. */
  update(key: string, value: unknown): PromiseLike<void>;
}

/** A member of a session as it is remembered. */
export function runningFile({ recording, end }: Member, name: string): RunningFile {
  const hasEnded = end !== undefined && !mayEndWithWindow(end.reason);
  return { file: recording.file, name, ...(hasEnded && { hasEnded }) };
}

/** Which session runs in this workspace, kept where a window that comes back finds it. */
export class RunningCaptureMemory {
  constructor(private readonly state: Memento) {}

  async begun(running: RunningCapture): Promise<void> {
    await this.state.update(STATE_KEY, running);
  }

  /** One of several has ended, and the window cannot have caused that. @see Session */
  async memberEnded(file: string): Promise<void> {
    const kept = this.#kept();
    if (kept?.files.some((known) => known.file === file) !== true) return;
    const files = kept.files.map((known) => (known.file === file ? { ...known, hasEnded: true } : known));
    await this.state.update(STATE_KEY, { ...kept, files });
  }

  /**
   * All have ended. Call it at once where the window cannot have caused that, else when it no longer may have.
   * @see Session
   * @param file of one of them: others may have begun since
   */
  async ended(file: string): Promise<void> {
    if (this.#kept()?.files.some((known) => known.file === file) === true)
      await this.state.update(STATE_KEY, undefined);
  }

  /** The capture that ran when the window closed; returned once. */
  async take(): Promise<RunningCapture | undefined> {
    const kept = this.#kept();
    await this.state.update(STATE_KEY, undefined);
    return kept;
  }

  #kept(): RunningCapture | undefined {
    const { files, durationSeconds, group } = (this.state.get(STATE_KEY) ?? {}) as Partial<
      Record<keyof RunningCapture, unknown>
    >;
    if (!Array.isArray(files) || typeof durationSeconds !== "number") return undefined;
    const known = files.slice(0, MOST_FILES).filter(isRunningFile);
    return { files: known, durationSeconds, ...(isGroup(group) && { group }) };
  }
}

function isRunningFile(value: unknown): value is RunningFile {
  const { file, name, hasEnded = false } = (value ?? {}) as Partial<Record<keyof RunningFile, unknown>>;
  return typeof file === "string" && typeof name === "string" && typeof hasEnded === "boolean";
}

function isGroup(value: unknown): value is NonNullable<RunningCapture["group"]> {
  const { tag, again } = (value ?? {}) as { readonly tag?: unknown; readonly again?: unknown };
  return typeof tag === "string" && typeof again === "object" && again !== null;
}
