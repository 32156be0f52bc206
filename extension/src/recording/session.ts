// The captures of one start, of one VM or of several: from attaching to the notes at the end. No vscode in here.

import type { Cancellation } from "../helper/helper-connection.js";
import { RecordingGroup, type Member, type RefusedMember, type WantedMember } from "./recording-group.js";
import type { RecordingEnd } from "./recording.js";

export type SessionPhase = "attaching" | "recording" | "completing" | "ended";

/** What follows each step of a session: in the window, or in a test. Apart from `begun` nothing of it throws. */
export interface SessionStage {
  /** All that can be captured are: puts them into view. Once. */
  begun(group: RecordingGroup): void;
  /** Phase or quality of a member changed. */
  changed(): void;
  /** The capture of a member grew; `costMs` is what appending took. */
  grew(costMs: number): void;
  /**
   * Once for each member.
   * @returns when the user has answered the message about it: never when the window closes first
   */
  memberEnded(member: Member, end: RecordingEnd): Promise<unknown>;
  /** All have ended: completes the capture in view. Once. */
  complete(): Promise<void>;
  /** The capture in view grows no longer. Once. */
  ended(): void;
  /** Notes in the files where they come from. Once. */
  note(): Promise<void>;
  /** A window that comes back need not mention this member. At most once for each. */
  forgetMember(member: Member): Promise<void>;
  /** Settles when the window has been there for so long that it was not the cause of an end: never when it closes first. */
  outlived(): Promise<unknown>;
  /** A window that comes back need not mention it. Once. */
  forget(): Promise<void>;
}

/**
 *     attaching --begun--> recording --the last one has ended--> completing --> ended
 *     attaching --refused by all, cancelled--> ended (nothing runs, and nothing of it was in view)
 *
 * It owns its recordings: none runs after `ended`.
 */
export class Session<Stage extends SessionStage = SessionStage> {
  readonly group: RecordingGroup;
  /** It is in view as ended, and its files are complete. */
  readonly ended: Promise<void>;
  /** Its files have their notes, too. */
  readonly noted: Promise<void>;
  #phase: SessionPhase = "attaching";
  #resolveEnded: () => void = () => {};
  #resolveNoted: () => void = () => {};
  #resolveQuiet: () => void = () => {};
  /** No recording runs any more. */
  readonly #quiet = new Promise<void>((resolve) => (this.#resolveQuiet = resolve));
  /** Settle when the user has answered. */
  readonly #answered: Promise<unknown>[] = [];

  constructor(readonly stage: Stage) {
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    this.noted = new Promise((resolve) => (this.#resolveNoted = resolve));
    this.group = new RecordingGroup({
      changed: () => {
        if (this.isRunning) stage.changed();
      },
      grew: (costMs) => {
        if (this.isRunning) stage.grew(costMs);
      },
      memberEnded: (member, end) => {
        this.#answered.push(stage.memberEnded(member, end));
        if (!mayEndWithWindow(end.reason)) void stage.forgetMember(member);
      },
      ended: () => {
        this.#resolveQuiet();
        if (this.#phase === "recording") void this.#end();
      },
    });
  }

  get phase(): SessionPhase {
    return this.#phase;
  }

  /** It is in view, and grows. */
  get isRunning(): boolean {
    return this.#phase === "recording" || this.#phase === "completing";
  }

  /**
   * To be called once.
   * @param attached receives the number of VMs that it is attached to
   * @returns those that refused; when all did, nothing runs
   * @throws {Cancelled} when nothing runs any longer
   */
  async start(
    wanted: readonly WantedMember[],
    token?: Cancellation,
    attached?: (count: number) => void,
  ): Promise<readonly RefusedMember[]> {
    try {
      const refused = await this.group.start(wanted, token, attached);
      if (this.group.members.length === 0) this.#settle();
      else this.#begin();
      return refused;
    } catch (error) {
      // What samples already is still this session's.
      await this.#silenced();
      this.#settle();
      throw error;
    }
  }

  /** Ends its captures and waits until the files are complete; does nothing when it does not run. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    void this.group.stop();
    await this.ended;
  }

  #begin(): void {
    this.stage.begun(this.group);
    this.#phase = "recording";
    // Short ones may have ended while others were still being started.
    if (this.group.running.length === 0) void this.#end();
  }

  async #silenced(): Promise<void> {
    if (this.group.running.length === 0) return;
    void this.group.stop();
    await this.#quiet;
  }

  async #end(): Promise<void> {
    this.#phase = "completing";
    await this.stage.complete();
    this.#phase = "ended";
    this.stage.ended();
    this.#resolveEnded();
    void this.#forgotten();
    await this.stage.note();
    this.#resolveNoted();
  }

  /**
   * At once for an end that the window cannot have caused; else after the user has answered the message, or has left it
   * unanswered for so long that the window is not the cause. Neither happens when the window closes first.
   */
  async #forgotten(): Promise<void> {
    if (this.group.members.some(({ end }) => end !== undefined && mayEndWithWindow(end.reason)))
      await Promise.race([Promise.all(this.#answered), this.stage.outlived()]);
    await this.stage.forget();
  }

  #settle(): void {
    this.#phase = "ended";
    this.#resolveEnded();
    this.#resolveNoted();
  }
}

/** Whether the window may be the cause of such an end: a window that closes ends its helper. */
export function mayEndWithWindow(reason: RecordingEnd["reason"]): boolean {
  return reason === "helperGone" || reason === "shutdown";
}
