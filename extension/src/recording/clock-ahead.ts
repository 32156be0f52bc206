// How far the clock of another host is from the one here. No vscode in here.

import type { Recording } from "./recording.js";

/**
 * The capture says when it began by the clock there; by the clock here that was between asking for it and the answer, and the middle is wrong by half of that at most.
 * 0 on this machine, whose VMs have one clock, and while the capture has not said.
 */
export function clockAheadMs({ capture, startAsked }: Pick<Recording, "capture" | "startAsked">, isFar: boolean): number {
  const { startedUnixMs } = capture.facts;
  if (!isFar || startAsked === undefined || startedUnixMs <= 0) return 0;
  const { fromUnixMs, toUnixMs } = startAsked;
  // Within what the round trip leaves open, both clocks may be right.
  if (startedUnixMs >= fromUnixMs && startedUnixMs <= toUnixMs) return 0;
  return Math.round(startedUnixMs - (fromUnixMs + toUnixMs) / 2);
}
