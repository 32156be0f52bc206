// Captures of several VMs under one start and one stop. Each is a recording of its own, with its own file. No vscode in here.

import { addedAmounts, recordedAmount, type RecordedAmount } from "../captures/recorded-amount.js";
import type { Cancellation } from "../helper/helper-connection.js";
import { Cancelled } from "../helper/helper-error.js";
import { StartTogether } from "./start-together.js";
import type { Recording, RecordingEnd, RecordingListener } from "./recording.js";

/** One VM of a group. */
export interface Member {
  /** Shown. */
  readonly name: string;
  /** Among those that were wanted. */
  readonly index: number;
  readonly recording: Recording;
  /** Undefined while it runs. */
  readonly end: RecordingEnd | undefined;
}

/** A member to start: the recording is notified when all may begin to sample. */
export interface WantedMember {
  readonly name: string;
  /** @param begin settles when all VMs are attached to, or are known not to be: the capture's start waits for it */
  readonly recording: (listener: RecordingListener, begin: () => Promise<void>) => Recording;
}

export interface RefusedMember {
  readonly name: string;
  readonly index: number;
  readonly error: unknown;
}

export interface GroupListener {
  /** Phase or quality of a member changed. */
  changed(): void;
  /** The capture of a member grew; `costMs` is what appending took. */
  grew(costMs: number): void;
  /** Others may go on. */
  memberEnded(member: Member, end: RecordingEnd): void;
  /** All have ended. */
  ended(): void;
}

interface OwnMember extends Member {
  end: RecordingEnd | undefined;
}

/**
 *     start(): every VM is attached to; when the last one is, or is refused, all begin to sample
 *     stop(): every capture is requested to end; the group has ended when the last one has
 */
export class RecordingGroup {
  #members: readonly OwnMember[] = [];
  #attached = 0;
  #hasEnded = false;

  constructor(private readonly listener: GroupListener) {}

  /** Those that were started. */
  get members(): readonly Member[] {
    return this.#members;
  }

  get running(): readonly Member[] {
    return this.#members.filter(({ end }) => end === undefined);
  }

  get elapsedMs(): number {
    return Math.max(0, ...this.#members.map(({ recording }) => recording.elapsedMs));
  }

  get recorded(): RecordedAmount {
    return addedAmounts(this.#members.map(({ recording }) => recordedAmount(recording.quality)));
  }

  /**
   * To be called once. A VM that refuses does not keep the others from being captured.
   * @param attached receives how many VMs have been attached to
   * @returns those that refused
   * @throws {Cancelled} none runs then
   */
  async start(
    wanted: readonly WantedMember[],
    token?: Cancellation,
    attached: (count: number) => void = () => {},
  ): Promise<readonly RefusedMember[]> {
    const together = new StartTogether(wanted.length);
    const begun: OwnMember[] = [];
    const refused: RefusedMember[] = [];
    const starting = wanted.map(async ({ name, recording: make }, index) => {
      const ticket = together.ticket();
      const listener: RecordingListener = {
        changed: () => this.listener.changed(),
        grew: (costMs) => this.listener.grew(costMs),
        ended: (end) => this.#ended(member, end),
      };
      const recording = make(listener, () => {
        attached(++this.#attached);
        return ticket.ready();
      });
      const member: OwnMember = { name, index, recording, end: undefined };
      try {
        await recording.start(token);
        begun.push(member);
      } catch (error) {
        ticket.leave();
        refused.push({ name, index, error });
      }
    });
    await Promise.all(starting);
    // In the order in which they were wanted, however long each took.
    this.#members = begun.sort((a, b) => a.index - b.index);
    if (token?.isCancellationRequested === true) {
      await this.stop();
      throw new Cancelled();
    }
    // Short ones may have ended while others were still being started.
    this.#checkEnded();
    return refused;
  }

  /** Requests the end of all; the listener is called when the last file is complete. */
  async stop(): Promise<void> {
    await Promise.all(this.running.map(({ recording }) => recording.stop()));
  }

  #ended(member: OwnMember, end: RecordingEnd): void {
    member.end = end;
    this.listener.memberEnded(member, end);
    this.#checkEnded();
  }

  #checkEnded(): void {
    if (this.#hasEnded || this.#members.length === 0 || this.running.length > 0) return;
    this.#hasEnded = true;
    this.listener.ended();
  }
}
