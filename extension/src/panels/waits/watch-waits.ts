// One watch of where the processes of a VM wait: looks as often as the helper allows, until the time is over. No vscode in here.

import type { InsideWaitsResult, WaitsLook } from "../../../../contract/protocol.generated.js";
import type { Cancellation } from "../../helper/helper-connection.js";
import { isEndOfVm } from "../../inside/inside-vm.js";

/** The requests to a VM. */
export interface WaitsSource {
  lookAtWaits(token?: Cancellation): Promise<WaitsLook>;
  finishWaits(token?: Cancellation): Promise<InsideWaitsResult>;
}

export interface WatchTimes {
  readonly seconds: number;
  /** Since 1970. */
  nowMs(): number;
  /** Resolves after that time, or as soon as `token` is cancelled. */
  pause(ms: number, token: Cancellation): Promise<void>;
}

export interface Watched {
  readonly result: InsideWaitsResult;
  readonly last: WaitsLook;
  readonly looks: number;
  readonly seconds: number;
  /** When the last look was answered. */
  readonly takenUnixMs: number;
  /** By then the VM had ended; null when it was there to the end. */
  readonly endedUnixMs: number | null;
}

/**
 * Cancelling ends the watch early, and so does the end of the VM: the result until then is complete.
 * @param onLook called after each look, with the fraction of the time that is over, from 0 to 1
 */
export async function watchWaits(
  source: WaitsSource,
  { seconds, nowMs, pause }: WatchTimes,
  token: Cancellation,
  onLook: (look: WaitsLook, done: number) => void,
): Promise<Watched> {
  const began = nowMs();
  const end = began + seconds * 1000;
  let seen: Pick<Watched, "last" | "looks" | "takenUnixMs"> | undefined;
  for (;;) {
    const lookedAt = nowMs();
    // Not cancelled in the middle: the helper would forget the earlier looks.
    const last = await lookUnlessEnded(source, seen !== undefined);
    if (last !== undefined) {
      seen = { last, looks: (seen?.looks ?? 0) + 1, takenUnixMs: nowMs() };
      onLook(last, Math.min((nowMs() - began) / (seconds * 1000), 1));
    }
    const isOver = last === undefined || last.full || token.isCancellationRequested || nowMs() >= end;
    if (isOver && seen !== undefined) {
      const endedUnixMs = last === undefined ? nowMs() : null;
      return { ...seen, endedUnixMs, seconds: (nowMs() - began) / 1000, result: await source.finishWaits() };
    }
    // The last look is at the end: pending waits count up to it.
    if (last !== undefined) await pause(Math.max(Math.min(lookedAt + last.nextMs, end) - nowMs(), 0), token);
  }
}

/** @returns undefined where the VM has ended after earlier looks, which can be finished */
async function lookUnlessEnded(source: WaitsSource, hasLooked: boolean): Promise<WaitsLook | undefined> {
  try {
    return await source.lookAtWaits();
  } catch (error) {
    if (hasLooked && isEndOfVm(error)) return undefined;
    throw error;
  }
}
