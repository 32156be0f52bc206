// Times without any data in a capture: the helper was stopped, or the machine did not let it run.

import type { TimeGap, Timeline } from "../../../../contract/capture-answers.js";
import type { NodeReadings } from "../questions.js";

/** Readings may be late by so much on a busy machine. */
const LATE_MS = 2_000;
/** Within a time without readings; shorter ones are no more than a VM at rest. */
const SHORTEST_MS = 1_000;
const MOST_GAPS = 1_000;

/**
 * The times without a reading and without a sample. A VM at rest has no samples, but is read all the same; so no gaps
 * are known of a capture without readings, nor after its last reading.
 */
export function timeGapsOf(readings: NodeReadings | undefined, { bucketMs, busy, idle }: Timeline): readonly TimeGap[] {
  const times = readings?.atMs ?? [];
  const usual = medianStep(times);
  if (Number.isNaN(usual)) return [];
  const limit = 2 * usual + LATE_MS;
  const gaps: TimeGap[] = [];
  for (let index = 1; index < times.length && gaps.length < MOST_GAPS; index++) {
    const [from, to] = [times[index - 1] as number, times[index] as number];
    if (to - from <= limit) continue;
    // The kernel kept samples during the gap: those times are covered.
    let began = from;
    const last = Math.floor(to / bucketMs);
    for (let bucket = Math.floor(from / bucketMs); bucket <= last; bucket++) {
      if (bucket < last && (busy[bucket] ?? 0) + (idle[bucket] ?? 0) === 0) continue;
      const end = bucket === last ? to : bucket * bucketMs;
      if (end - began >= SHORTEST_MS) gaps.push({ fromMs: began, toMs: end });
      began = (bucket + 1) * bucketMs;
    }
  }
  return gaps;
}

/** Of a typed array, which is sorted without calls: this runs once a second for each VM. */
function medianStep(times: readonly number[]): number {
  const steps = new Float64Array(Math.max(times.length - 1, 0));
  for (let index = 0; index < steps.length; index++)
    steps[index] = (times[index + 1] as number) - (times[index] as number);
  return steps.sort()[Math.floor(steps.length / 2)] ?? Number.NaN;
}
