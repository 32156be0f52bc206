// How far the clock of another host is from the one here. No vscode in here.

import type { Capture, ClockFacts } from "../capture/questions.js";

/** Something happened between these moments, by the clock here. */
export interface RequestedBetween {
  readonly fromUnixMs: number;
  readonly toUnixMs: number;
}

/** The times of a recording. */
interface Timed {
  readonly capture: Capture;
  readonly startRequested: RequestedBetween | undefined;
  readonly stopRequested: RequestedBetween | undefined;
}

/**
 * The capture contains its start by the clock there; by the clock here, the start was between the request and the
 * answer, and the middle is wrong by half of that at most.
 * 0 on this machine, whose VMs have one clock, and until the start is known.
 */
export function clockAheadMs({ capture, startRequested }: Omit<Timed, "stopRequested">, isFar: boolean): number {
  const { startedUnixMs } = capture.facts;
  if (!isFar || startRequested === undefined || startedUnixMs <= 0) return 0;
  return aheadOf(startedUnixMs, startRequested, 0);
}

/**
 * The same at the end, by the time that has passed there since the start: a clock that runs faster there is further ahead then.
 * @returns undefined for a VM of this machine, and where the capture did not end by a request
 */
export function clockAtBothEnds(recording: Timed, isFar: boolean): ClockFacts | undefined {
  const { capture, stopRequested } = recording;
  const { startedUnixMs, durationMs } = capture.facts;
  if (!isFar || stopRequested === undefined || startedUnixMs <= 0) return undefined;
  const aheadMs = clockAheadMs(recording, isFar);
  return { aheadMs, aheadAtEndMs: aheadOf(startedUnixMs + durationMs, stopRequested, aheadMs) };
}

/** @param usualMs what holds where the round trip leaves it open: then there is nothing to be told apart */
function aheadOf(thereUnixMs: number, { fromUnixMs, toUnixMs }: RequestedBetween, usualMs: number): number {
  const isOpen = thereUnixMs - usualMs >= fromUnixMs && thereUnixMs - usualMs <= toUnixMs;
  return isOpen ? usualMs : Math.round(thereUnixMs - (fromUnixMs + toUnixMs) / 2);
}
