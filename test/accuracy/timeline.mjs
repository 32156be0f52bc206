// The VM's truth and a capture over the same stretches of time.
/**
 * @typedef {object} Timeline   the report of gt_timeline:report/2
 * @property {number} start_unix_ns
 * @property {number} bucket_ns
 * @property {string[]} functions
 * @property {number[][]} rows   per bucket: nanoseconds of each function, then units of work
 *
 * @typedef {object} Recorded
 * @property {number} startUnixNs
 * @property {number} seconds
 * @property {import("../pprof-reader.mjs").ProfileSample[]} samples
 * @property {number} countIndex   of "samples" among the values of a sample
 * @property {Record<string, (sample: import("../pprof-reader.mjs").ProfileSample) => boolean>} [parts]   which samples are of a
 *   part that has no function of its name
 * @property {{name: string, samples: number}} [unsampled]   what the time in no sample would be in samples, and of which function
 */

/** Left out at each end of a recording: threads are found, events opened and closed. */
const EDGE_NS = 250e6;
/** Long beside a slice of the programs, short beside a recording. */
const BATCH_BUCKETS = 5;
/** A capture has the times of samples in steps of this many milliseconds. */
const SAMPLE_BUCKET_MS = 20;

/**
 * Batches of half a second: samples by function beside the VM's own times. Samples that show
 * none of the functions belong to no part: among them those without a proven stack.
 * @param {Recorded} recorded
 * @param {Timeline} timeline
 * @returns {import("./statistics.mjs").Batch[]}
 */
export function batchesOf(recorded, timeline) {
  const [first, end] = bucketsWithin(
    timeline,
    recorded.startUnixNs + EDGE_NS,
    recorded.startUnixNs + recorded.seconds * 1e9 - EDGE_NS,
  );
  const { unsampled } = recorded;
  // Its place in time is not known.
  const unsampledOfBatch = ((unsampled?.samples ?? 0) * BATCH_BUCKETS * timeline.bucket_ns) / (recorded.seconds * 1e9);
  const batches = Array.from({ length: Math.floor((end - first) / BATCH_BUCKETS) }, (_, batch) => {
    const rows = timeline.rows.slice(first + batch * BATCH_BUCKETS, first + (batch + 1) * BATCH_BUCKETS);
    return {
      seen: timeline.functions.map((name) => (name === unsampled?.name ? unsampledOfBatch : 0)),
      trueNs: timeline.functions.map((_name, part) => rows.reduce((sum, row) => sum + (row[part] ?? 0), 0)),
    };
  });
  // A measured function has two arities: the one that is timed (f/1) tail-calls the loop. C functions and marks have none.
  const isOf = timeline.functions.map((name) => {
    const stem = name.slice(0, name.lastIndexOf("/") + 1);
    const isShown = (/** @type {string} */ shown) => (stem === "" ? shown === name : shown.startsWith(stem));
    const hasFrame = (/** @type {import("../pprof-reader.mjs").ProfileSample} */ { frames }) =>
      frames.some((frame) => isShown(frame.name));
    return recorded.parts?.[name] ?? hasFrame;
  });
  for (const sample of recorded.samples) {
    const atMs = Number(sample.labels.bucket_ms) + SAMPLE_BUCKET_MS / 2;
    const bucket = Math.floor((recorded.startUnixNs + atMs * 1e6 - timeline.start_unix_ns) / timeline.bucket_ns);
    const batch = batches[Math.floor((bucket - first) / BATCH_BUCKETS)];
    const part = isOf.findIndex((isOne) => isOne(sample));
    if (batch === undefined || part < 0) continue;
    batch.seen[part] = (batch.seen[part] ?? 0) + (sample.values[recorded.countIndex] ?? 0);
  }
  return batches;
}

/**
 * Units of work per second between two moments.
 * @param {Timeline} timeline
 * @param {number} fromUnixNs
 * @param {number} toUnixNs
 */
export function workRate(timeline, fromUnixNs, toUnixNs) {
  const [first, end] = bucketsWithin(timeline, fromUnixNs, toUnixNs);
  if (end <= first) throw new Error("a phase was too short to be measured");
  const work = timeline.rows.slice(first, end).reduce((sum, row) => sum + (row.at(-1) ?? 0), 0);
  return work / ((end - first) * timeline.bucket_ns * 1e-9);
}

/** Buckets wholly between two moments: the first, and the one after the last.
 * @param {Timeline} timeline @param {number} fromUnixNs @param {number} toUnixNs @returns {[number, number]} */
function bucketsWithin(timeline, fromUnixNs, toUnixNs) {
  const place = (/** @type {number} */ at) => (at - timeline.start_unix_ns) / timeline.bucket_ns;
  const first = Math.max(0, Math.ceil(place(fromUnixNs)));
  return [first, Math.max(first, Math.min(timeline.rows.length, Math.floor(place(toUnixNs))))];
}
