// A range of time as arithmetic: the effect of keys and drags on it.

import { bounded } from "../../contract/bounded.js";
import type { Timeline } from "../../contract/capture-answers.js";

/** Milliseconds from the start of the capture. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** A round step of about a hundredth of the capture, at least 1 ms. */
export function stepOf(durationMs: number): number {
  const wanted = Math.max(durationMs / 100, 1);
  const decade = 10 ** Math.floor(Math.log10(wanted));
  return decade * ([1, 2, 5].find((factor) => factor * decade >= wanted) ?? 10);
}

/** `null` for no range; `undefined` when the key means nothing here. */
export function rangeAfter(
  key: string,
  shift: boolean,
  range: TimeRange | null,
  durationMs: number,
): TimeRange | null | undefined {
  const step = stepOf(durationMs);
  const leap = step * 10;
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return shift ? extended(range, -step, durationMs) : moved(range, -step, durationMs);
    case "ArrowRight":
    case "ArrowUp":
      return shift ? extended(range, step, durationMs) : moved(range, step, durationMs);
    case "PageDown":
      return shift ? extended(range, -leap, durationMs) : moved(range, -leap, durationMs);
    case "PageUp":
      return shift ? extended(range, leap, durationMs) : moved(range, leap, durationMs);
    case "Home":
      return moved(range, -durationMs, durationMs);
    case "End":
      return moved(range, durationMs, durationMs);
    case "-":
      return range && (range.to - range.from > step ? { from: range.from, to: range.to - step } : range);
    case "Escape":
      return null;
    default:
      return undefined;
  }
}

/** From one press to where the pointer is; null for a press without a drag. */
export function draggedRange(oneMs: number, otherMs: number, durationMs: number): TimeRange | null {
  const inside = (ms: number) => Math.round(bounded(ms, 0, durationMs));
  const [from = 0, to = 0] = [inside(oneMs), inside(otherMs)].sort((a, b) => a - b);
  return to > from ? { from, to } : null;
}

/** Busy samples in the range; a bucket that is only partly in it counts by its share. */
export function busyIn({ busy, bucketMs }: Timeline, { from, to }: TimeRange): number {
  let samples = 0;
  for (let bucket = Math.floor(from / bucketMs); bucket < busy.length && bucket * bucketMs < to; bucket++) {
    const inside = Math.min(to, (bucket + 1) * bucketMs) - Math.max(from, bucket * bucketMs);
    samples += ((busy[bucket] as number) * inside) / bucketMs;
  }
  return Math.round(samples);
}

/** Without a range the first or last tenth is taken. */
function moved(range: TimeRange | null, by: number, durationMs: number): TimeRange {
  const width = range ? Math.min(range.to - range.from, durationMs) : Math.min(stepOf(durationMs) * 10, durationMs);
  const from = range
    ? range.from + by
    : by > 0 && by < durationMs
      ? 0
      : by > 0
        ? durationMs
        : by <= -durationMs
          ? 0
          : durationMs;
  const left = bounded(from, 0, durationMs - width);
  return { from: left, to: left + width };
}

function extended(range: TimeRange | null, by: number, durationMs: number): TimeRange {
  if (!range) return moved(null, by, durationMs);
  return by < 0
    ? { from: Math.max(range.from + by, 0), to: range.to }
    : { from: range.from, to: Math.min(range.to + by, durationMs) };
}
