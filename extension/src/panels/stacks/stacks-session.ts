// One panel of stacks: requests them one at a time. Knows no editor.

import type { ToHost, ToWebview } from "../../../../contract/messages/stacks.js";
import type { ProcessorLimits, PstackFrame, PstackResult } from "../../../../contract/protocol.generated.js";
import type { Cancellation } from "../../helper/helper-connection.js";
import { shownSchedulers } from "../../text/shown-schedulers.js";
import { shownStandstill } from "../../text/shown-standstill.js";
import { problemOf, shownThreads } from "./shown-stacks.js";
import { addressName } from "../../remote/host-address.js";
import type { StackSource, StackTarget } from "./stack-source.js";

export interface Canceller {
  readonly token: Cancellation;
  cancel(): void;
  dispose(): void;
}

export interface StacksSessionHost {
  readonly source: StackSource;
  readonly texts: { readonly noTarget: string };
  /** The name of the target; empty when unknown. */
  targetName(target: StackTarget): string;
  post(message: ToWebview): void;
  canceller(): Canceller;
  nowUnixMs(): number;
  debug(text: string): void;
}

export class StacksSession {
  readonly #host: StacksSessionHost;
  #target: StackTarget = { pid: 0 };
  #all = false;
  #ready = false;
  #visible = true;
  #running: Canceller | null = null;
  #last: PstackResult | null = null;

  constructor(host: StacksSessionHost) {
    this.#host = host;
  }

  get target(): StackTarget {
    return this.#target;
  }

  /** Another process, or the same once more. */
  show(target: StackTarget): void {
    if (target.pid !== this.#target.pid || nameOf(target) !== nameOf(this.#target)) this.#last = null;
    this.#target = target;
    this.#take();
  }

  receive(message: ToHost): void {
    switch (message.type) {
      case "ready":
        this.#ready = true;
        this.#all = message.saved.all === true;
        // A process chosen by a command counts more than the one of before.
        if (this.#target.pid === 0 && Number.isSafeInteger(message.saved.pid))
          this.#target = { pid: Number(message.saved.pid) };
        return this.#take();
      case "refresh":
        this.#all = message.all;
        return this.#take();
      case "cancel":
        return this.#running?.cancel();
    }
  }

  setVisible(visible: boolean): void {
    this.#visible = visible;
    if (!visible) this.#running?.cancel();
  }

  /** The frame as the helper gave it. */
  frame(thread: number, frame: number): PstackFrame | undefined {
    return this.#last?.threads[thread]?.frames[frame];
  }

  dispose(): void {
    this.#ready = false;
    this.#running?.cancel();
  }

  #take(): void {
    if (!this.#ready || !this.#visible) return;
    if (this.#target.pid <= 0) return this.#host.post({ type: "noTarget", text: this.#host.texts.noTarget });
    this.#running?.cancel();
    const mine = this.#host.canceller();
    this.#running = mine;
    const [target, all] = [this.#target, this.#all];
    const of = { pid: target.pid, where: nameOf(target) };
    this.#host.post({ type: "busy", ...of });
    void this.#host.source
      .stacks(target, all, mine.token)
      .then((result): ToWebview => {
        const answer: ToWebview = {
          type: "stacks",
          ...of,
          target: this.#host.targetName(target),
          takenUnixMs: this.#host.nowUnixMs(),
          all,
          threads: shownThreads(result),
          standstill: shownStandstill(result.standstill, result.standstillUnknown),
          halted: result.halted ?? null,
          ending: result.ending === true,
          processors: (result.processors as ProcessorLimits | null | undefined) ?? null,
          schedulers: shownSchedulers(result.schedulers),
        };
        // The stacks in the page, and no others: an answer that came too late is not shown.
        if (this.#running === mine) this.#last = result;
        return answer;
      })
      // Also of an answer that cannot be shown: the page would stay busy.
      .catch((error: unknown): ToWebview => {
        if (mine.token.isCancellationRequested) return { type: "cancelled", ...of };
        this.#host.debug(`stacks of ${of.pid} ${of.where}: ${String(error)}`);
        return { type: "problem", ...of, problem: problemOf(error) };
      })
      .then((answer) => {
        // The answer to a cancelled or repeated request is dropped.
        if (this.#running === mine) {
          this.#running = null;
          if (this.#ready) this.#host.post(answer);
        }
      })
      .finally(() => mine.dispose());
  }
}

function nameOf({ host }: StackTarget): string {
  return host === undefined ? "" : addressName(host);
}
