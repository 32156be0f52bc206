// How far the clock of another host is from the one here. No vscode in here.

import type { Capture, ClockFacts } from "../capture/questions.js";

/** Something happened between these moments, by the clock here. */
export interface AskedBetween {
  readonly fromUnixMs: number;
  readonly toUnixMs: number;
}

/** The times of a recording. */
interface Timed {
  readonly capture: Capture;
  readonly startAsked: AskedBetween | undefined;
  readonly stopAsked: AskedBetween | undefined;
}

/**
 * The capture contains its start by the clock there; by the clock here, the start was between the request and the
 * answer, and the middle is wrong by half of that at most.
 * 0 on this machine, whose VMs have one clock, and until the start is known.
 */
export function clockAheadMs({ capture, startAsked }: Omit<Timed, "stopAsked">, isFar: boolean): number {
  const { startedUnixMs } = capture.facts;
  if (!isFar || startAsked === undefined || startedUnixMs <= 0) return 0;
  return aheadOf(startedUnixMs, startAsked, 0);
}

/**
 * The same at the end, by the time that has passed there since the start: a clock that runs faster there is further ahead then.
 * @returns undefined for a VM of this machine, and where the capture did not end by a request
 */
export function clockAtBothEnds(recording: Timed, isFar: boolean): ClockFacts | undefined {
  const { capture, stopAsked } = recording;
  const { startedUnixMs, durationMs } = capture.facts;
  if (!isFar || stopAsked === undefined || startedUnixMs <= 0) return undefined;
  const aheadMs = clockAheadMs(recording, isFar);
  return { aheadMs, aheadAtEndMs: aheadOf(startedUnixMs + durationMs, stopAsked, aheadMs) };
}

/** @param usualMs what holds where the round trip leaves it open: then there is nothing to be told apart */
function aheadOf(thereUnixMs: number, { fromUnixMs, toUnixMs }: AskedBetween, usualMs: number): number {
  const isOpen = thereUnixMs - usualMs >= fromUnixMs && thereUnixMs - usualMs <= toUnixMs;
  return isOpen ? usualMs : Math.round(thereUnixMs - (fromUnixMs + toUnixMs) / 2);
}
