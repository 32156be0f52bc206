// A VM's readings of itself during the capture, in the buckets of a timeline.

import {
  TRACK_NAMES,
  type TimeGap,
  type Timeline,
  type TimelineTrack,
  type TrackName,
} from "../../../../contract/capture-answers.js";
import type { NodeReadings } from "../questions.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import { timeGapsOf } from "./time-gaps.js";
import { countInto } from "./timeline.js";

type Level = "runQueue" | "memory" | "rss" | "largestMailbox" | "waitingMessages" | "processes";
/** The counter of each track, counted each second. */
const COUNTERS: Record<Exclude<TrackName, Level>, keyof NodeReadings> = {
  collectionRate: "collections",
  reductionRate: "reductions",
  contextSwitchRate: "contextSwitches",
  ioInRate: "ioIn",
  ioOutRate: "ioOut",
};

/** The tracks with at least one reading. */
export function tracksOf(readings: NodeReadings | undefined, timeline: Timeline): readonly TimelineTrack[] {
  return readings === undefined ? [] : tracksBeside(readings, timeline, timeGapsOf(readings, timeline));
}

function tracksBeside(readings: NodeReadings, timeline: Timeline, gaps: readonly TimeGap[]): readonly TimelineTrack[] {
  const tracks = TRACK_NAMES.map((name) => ({
    name,
    values: isRate(name)
      ? rateOf(readings, readings[COUNTERS[name]], timeline)
      : levelOf(readings, readings[name], timeline),
  }));
  // Values on both sides of a gap do not cover the time between them.
  for (const { fromMs, toMs } of gaps) {
    for (const { values } of tracks)
      values.fill(Number.NaN, Math.floor(fromMs / timeline.bucketMs) + 1, Math.floor(toMs / timeline.bucketMs));
  }
  return tracks.filter(({ values }) => values.some((value) => !Number.isNaN(value)));
}

/** One VM of several. */
export interface TrackedNode {
  readonly name: string;
  readonly readings: NodeReadings;
  /** Its own samples, by its own time. */
  readonly tables: ProfileTables;
  /** How much later than the timeline its time begins. */
  readonly shiftMs: number;
}

/**
 * The tracks of one of several VMs. Samples and readings of the others do not close its gaps: only its own samples do.
 */
export function tracksOfNode(
  { name: node, readings, tables, shiftMs }: TrackedNode,
  timeline: Timeline,
): readonly TimelineTrack[] {
  const shifted = { ...readings, atMs: readings.atMs.map((at) => at + shiftMs) };
  const buckets = timeline.busy.length;
  const own = { ...timeline, busy: new Uint32Array(buckets), idle: new Uint32Array(buckets) };
  // Samples are needed only where readings leave a gap, which is rare.
  let gaps = timeGapsOf(shifted, own);
  if (gaps.length > 0) {
    countInto(own, tables, shiftMs);
    gaps = timeGapsOf(shifted, own);
  }
  return tracksBeside(shifted, own, gaps).map((track) => ({ ...track, node }));
}

function isRate(name: TrackName): name is keyof typeof COUNTERS {
  return name in COUNTERS;
}

/**
 * The maximum in each bucket, so that short peaks stay visible. A bucket without a reading, between two that have one,
 * repeats the one before.
 */
function levelOf({ atMs }: NodeReadings, values: readonly number[], { bucketMs, busy }: Timeline): Float64Array {
  const most = new Float64Array(busy.length).fill(Number.NaN);
  let last = -1;
  for (let index = 0; index < atMs.length; index++) {
    const value = values[index] as number;
    const bucket = Math.floor((atMs[index] as number) / bucketMs);
    if (Number.isNaN(value) || bucket >= most.length) continue;
    if (last >= 0 && bucket > last + 1) most.fill(most[last] as number, last + 1, bucket);
    const before = most[bucket] as number;
    most[bucket] = before >= value ? before : value;
    last = bucket;
  }
  return most;
}

/** The count between two readings, spread evenly over the time between them. */
function rateOf({ atMs }: NodeReadings, counts: readonly number[], { bucketMs, busy }: Timeline): Float64Array {
  const rates = new Float64Array(busy.length).fill(Number.NaN);
  let before = -1;
  for (let index = 0; index < atMs.length; index++) {
    const at = atMs[index] as number;
    const value = counts[index] as number;
    if (Number.isNaN(value)) continue;
    const start = before < 0 ? Number.NaN : (atMs[before] as number);
    const counted = value - (counts[before] ?? Number.NaN);
    before = index;
    // A VM that counts backwards is another one.
    if (!(at > start) || !(counted >= 0)) continue;
    const perSecond = (counted * 1000) / (at - start);
    const end = Math.min(Math.ceil(at / bucketMs), rates.length);
    for (let bucket = Math.floor(start / bucketMs); bucket < end; bucket++) rates[bucket] = perSecond;
  }
  return rates;
}
