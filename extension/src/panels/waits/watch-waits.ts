// One watch of where the processes of a VM wait: looks as often as the helper allows, until the time is over. No vscode in here.

import type { InsideWaitsResult, WaitsLook } from "../../../../contract/protocol.generated.js";
import type { Cancellation } from "../../helper/helper-connection.js";

/** The requests to a VM. */
export interface WaitsSource {
  lookAtWaits(token?: Cancellation): Promise<WaitsLook>;
  finishWaits(token?: Cancellation): Promise<InsideWaitsResult>;
}

export interface WatchTimes {
  readonly seconds: number;
  nowMs(): number;
  /** Resolves after that time, or as soon as `token` is cancelled. */
  pause(ms: number, token: Cancellation): Promise<void>;
}

export interface Watched {
  readonly result: InsideWaitsResult;
  readonly last: WaitsLook;
  readonly looks: number;
  readonly seconds: number;
}

/**
 * Cancelling ends the watch early: the result until then is complete.
 * @param told called after each look, with the fraction of the time that is over, from 0 to 1
 */
export async function watchWaits(
  source: WaitsSource,
  { seconds, nowMs, pause }: WatchTimes,
  token: Cancellation,
  told: (look: WaitsLook, done: number) => void,
): Promise<Watched> {
  const began = nowMs();
  const end = began + seconds * 1000;
  for (let looks = 1; ; looks += 1) {
    const lookedAt = nowMs();
    // Not cancelled in the middle: the helper would forget the earlier looks.
    const last = await source.lookAtWaits();
    told(last, Math.min((nowMs() - began) / (seconds * 1000), 1));
    const isOver = last.full || token.isCancellationRequested || nowMs() >= end;
    if (isOver) return { result: await source.finishWaits(), last, looks, seconds: (nowMs() - began) / 1000 };
    // The last look is at the end: pending waits count up to it.
    await pause(Math.max(Math.min(lookedAt + last.nextMs, end) - nowMs(), 0), token);
  }
}
