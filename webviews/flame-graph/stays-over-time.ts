// Long collections and calls over time as arithmetic: the one at a pointer, and the range with its samples.

import { bounded } from "../../contract/bounded.js";
import type { Stay } from "../../contract/capture-answers.js";
import type { TimeRange } from "./time-range.js";

/** Samples carry the start of a bucket of this length. */
const RECORDED_BUCKET_MS = 20;

/** The longest one at that time, or at most `nearMs` beside it. */
export function stayAt(stays: readonly Stay[], atMs: number, nearMs: number): Stay | undefined {
  return longestOf(stays, ({ fromMs, toMs }) => atMs >= fromMs - nearMs && atMs <= toMs + nearMs);
}

/** The longest one whose range it is. */
export function stayOfRange(stays: readonly Stay[], range: TimeRange, durationMs: number): Stay | undefined {
  return longestOf(stays, (stay) => order(rangeOfStay(stay, durationMs), range) === 0);
}

/** The buckets that have its samples. */
export function rangeOfStay({ fromMs, toMs }: Stay, durationMs: number): TimeRange {
  const startOf = (ms: number) => Math.floor(ms / RECORDED_BUCKET_MS) * RECORDED_BUCKET_MS;
  const to = bounded(startOf(toMs) + RECORDED_BUCKET_MS, 1, Math.max(durationMs, 1));
  return { from: bounded(startOf(fromMs), 0, to - 1), to };
}

/** The range of the next one after a range, or of the one before it; the same range when there is none. */
export function rangeOfNextStay(
  stays: readonly Stay[],
  range: TimeRange | null,
  isBackwards: boolean,
  durationMs: number,
): TimeRange | null {
  const ranges = stays.map((stay) => rangeOfStay(stay, durationMs)).sort(order);
  const end = isBackwards ? Number.POSITIVE_INFINITY : -1;
  const now = range ?? { from: end, to: end };
  const next = isBackwards
    ? ranges.findLast((other) => order(other, now) < 0)
    : ranges.find((other) => order(other, now) > 0);
  return next ?? range;
}

function longestOf(stays: readonly Stay[], isWanted: (stay: Stay) => boolean): Stay | undefined {
  const length = ({ fromMs, toMs }: Stay) => toMs - fromMs;
  let longest: Stay | undefined;
  for (const stay of stays)
    if (isWanted(stay) && (longest === undefined || length(stay) > length(longest))) longest = stay;
  return longest;
}

/** By their begin, then by their end. */
const order = (one: TimeRange, other: TimeRange) => one.from - other.from || one.to - other.to;
