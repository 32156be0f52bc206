// Who captures in this window: one session at a time, and one start at a time. No vscode in here.

import type { Cancellation } from "../helper/helper-connection.js";
import type { RefusedMember, WantedMember } from "./recording-group.js";
import type { Session, SessionStage } from "./session.js";

/** The questions and messages of a start to the user. */
export interface StartQuestions<Stage extends SessionStage> {
  /** Whether the running session may be ended for it. The answer may never come. */
  mayEnd(running: Session<Stage>): Promise<boolean>;
  /** Another start is under way. */
  isBusy(): void;
}

/** The right to start a session; it ends with the work that got it. */
export interface StartClaim<Stage extends SessionStage> {
  /** @see Session.start */
  begin(
    session: Session<Stage>,
    wanted: readonly WantedMember[],
    token?: Cancellation,
    attached?: (count: number) => void,
  ): Promise<readonly RefusedMember[]>;
}

export class Sessions<Stage extends SessionStage> {
  /** The pending start; undefined without one. */
  #starting: string | undefined;
  #current: Session<Stage> | undefined;

  /** The one that runs, or ran last; undefined before the first. */
  get current(): Session<Stage> | undefined {
    return this.#current;
  }

  get running(): Session<Stage> | undefined {
    return this.#current?.isRunning === true ? this.#current : undefined;
  }

  /**
   * Does the work of a start while no other start is under way and nothing runs.
   * @param of   identifies the start: a second click on the same thing is no other start
   * @param work begins one session by the claim, or none
   * @returns undefined when it could not be done: the user has refused or seen a message
   */
  async alone<T>(
    of: string,
    questions: StartQuestions<Stage>,
    work: (claim: StartClaim<Stage>) => Promise<T>,
  ): Promise<T | undefined> {
    if (this.#isTaken(of, questions)) return undefined;
    for (let { running } = this; running !== undefined; { running } = this) {
      // Nothing is claimed while the question waits: it may lie among the notifications for ever.
      if (!(await questions.mayEnd(running))) return undefined;
      await running.stop();
      if (this.#isTaken(of, questions)) return undefined;
    }
    // Nothing is awaited between the last look and this.
    this.#starting = of;
    try {
      return await work({ begin: (session, ...how) => this.#begin(session, ...how) });
    } finally {
      this.#starting = undefined;
    }
  }

  #isTaken(of: string, questions: StartQuestions<Stage>): boolean {
    if (this.#starting === undefined) return false;
    if (this.#starting !== of) questions.isBusy();
    return true;
  }

  async #begin(
    session: Session<Stage>,
    wanted: readonly WantedMember[],
    token?: Cancellation,
    attached?: (count: number) => void,
  ): Promise<readonly RefusedMember[]> {
    const before = this.#current;
    this.#current = session;
    try {
      return await session.start(wanted, token, attached);
    } finally {
      if (session.group.members.length === 0) this.#current = before;
    }
  }
}
