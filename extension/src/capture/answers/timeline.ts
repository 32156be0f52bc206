import type { Timeline } from "../../../../contract/capture-answers.js";
import { isWorkClass } from "../tables/label-sets.js";
import type { ProfileTables } from "../tables/profile-tables.js";

/** Samples of this program carry the start of a bucket of this length. */
const RECORDED_BUCKET_MS = 20;

/** Samples over time in at most so many equal buckets. A profile that does not say when its samples were taken has a single one. */
export function timelineOf(tables: ProfileTables, durationMs: number, bucketCount: number): Timeline {
  const { samples } = tables;
  const isTimed = samples.lastBucketMs > 0;
  const length = Math.max(durationMs, isTimed ? samples.lastBucketMs + RECORDED_BUCKET_MS : 1);
  const wanted = isTimed ? Math.max(1, Math.floor(bucketCount)) : 1;
  // Whole recorded buckets each: otherwise some would hold one more than their neighbours and look hot.
  const bucketMs = isTimed ? Math.ceil(length / wanted / RECORDED_BUCKET_MS) * RECORDED_BUCKET_MS : length;
  const buckets = Math.ceil(length / bucketMs);
  const timeline = { bucketMs, durationMs: length, busy: new Uint32Array(buckets), idle: new Uint32Array(buckets) };
  countInto(timeline, tables, 0);
  return timeline;
}

/** Adds all samples of a capture that began `shiftMs` later than the timeline. Samples past its end are not counted. */
export function countInto(
  { bucketMs, busy, idle }: Timeline,
  { samples, labels }: ProfileTables,
  shiftMs: number,
): void {
  const starts = samples.bucketMs.data;
  const counts = samples.count.data;
  const labelSets = samples.labels.data;
  const classes = labels.class.data;
  for (let row = 0; row < samples.length; row++) {
    const bucket = Math.floor(((starts[row] as number) + shiftMs) / bucketMs);
    if (bucket >= busy.length) continue;
    const into = isWorkClass(classes[labelSets[row] as number] as number) ? busy : idle;
    into[bucket] = (into[bucket] as number) + (counts[row] as number);
  }
}
