// Captures too large to check in, made from a real one: its samples again and again, later each time and with other stacks.
import { gunzipSync, gzipSync } from "node:zlib";
import { PbfReader, PbfWriter } from "pbf";

const SAMPLE = 2;
const DURATION = 10;

/**
 * @typedef {object} LargeCapture
 * @property {Uint8Array[]} members   gzip members; all of them one after the other are the capture
 * @property {number} samples         sample records
 * @property {number} stacks          different stacks
 */

/**
 * Repeats a real capture.
 * @param {Uint8Array} gzip           the real capture
 * @param {object} wanted
 * @param {number} wanted.samples     sample records to make
 * @param {number} wanted.variety     share of samples with a stack of their own: a real one below, real frames at random above
 * @param {number} [wanted.seed]      of the frames at random
 * @param {number} [wanted.tailFrom]  from this sample on members are shorter
 * @param {number} [wanted.tailSamples] and so long
 * @returns {LargeCapture}
 */
export function repeatCapture(gzip, { samples, variety, seed = 1, tailFrom = Infinity, tailSamples = Infinity }) {
  const { head, records, lengthMs } = takeApart(gunzipSync(gzip));
  const random = generator(seed);
  const strange = Math.round(variety * 1000);
  const stacks = new Set();
  /** @type {Uint8Array[]} */
  const members = [];
  let made = 0;
  for (let round = 0; made < samples; round++) {
    const pbf = new PbfWriter(new Uint8Array(1 << 20));
    const end = Math.min(samples, made < tailFrom ? tailFrom : made + tailSamples);
    for (const record of records) {
      if (made === end) break;
      made++;
      const locations =
        round > 0 && random() % 1000 < strange ? vary(record.locations, records, random) : record.locations;
      stacks.add(locations.join(" "));
      pbf.writeMessage(SAMPLE, writeSample, { ...record, locations, shiftMs: round * lengthMs });
    }
    const samplesOnly = pbf.finish();
    const length = new PbfWriter();
    length.writeVarintField(DURATION, (round + 1) * lengthMs * 1e6);
    const message = Buffer.concat([...(round === 0 ? [head] : []), samplesOnly, length.finish()]);
    members.push(gzipSync(message, { level: 3 }));
  }
  return { members, samples: made, stacks: stacks.size };
}

/**
 * Another stack: the callers of one sample with the callees of another.
 * @param {number[]} locations @param {{locations: number[]}[]} records @param {() => number} random
 */
function vary(locations, records, random) {
  const other = records[random() % records.length]?.locations ?? [];
  const above = other.slice(0, 1 + (random() % Math.max(1, other.length)));
  const below = locations.slice(random() % Math.max(1, locations.length));
  const between = records[random() % records.length]?.locations ?? [];
  return [...above, ...between.slice(0, random() % 6), ...below];
}

/** @typedef {{locations: number[], values: Uint8Array<ArrayBufferLike>, labels: Uint8Array<ArrayBufferLike>[], bucket: {key: number, unit: number, ms: number}}} Sample */

/** @param {Sample & {shiftMs: number}} sample @param {PbfWriter} pbf */
function writeSample(sample, pbf) {
  pbf.writePackedVarint(1, sample.locations);
  pbf.writeBytesField(2, sample.values);
  for (const label of sample.labels) pbf.writeBytesField(3, label);
  pbf.writeMessage(3, writeBucket, { ...sample.bucket, ms: sample.bucket.ms + sample.shiftMs });
}

/** @param {Sample["bucket"]} bucket @param {PbfWriter} pbf */
function writeBucket({ key, unit, ms }, pbf) {
  pbf.writeVarintField(1, key);
  pbf.writeVarintField(3, ms);
  pbf.writeVarintField(4, unit);
}

/** Everything but the samples as bytes, and the samples.
 * @param {Uint8Array} message */
function takeApart(message) {
  const pbf = new PbfReader(message);
  /** @type {Uint8Array[]} */
  const head = [];
  /** @type {Sample[]} */
  const records = [];
  let lengthMs = 0;
  while (pbf.pos < pbf.length) {
    const start = pbf.pos;
    const field = pbf.nextField();
    if (field === SAMPLE) {
      records.push(readSample(pbf));
      continue;
    }
    pbf.skip(pbf.type);
    if (field !== DURATION) head.push(message.subarray(start, pbf.pos));
  }
  for (const { bucket } of records) lengthMs = Math.max(lengthMs, bucket.ms + 20);
  return { head: Buffer.concat(head), records, lengthMs };
}

/** @param {PbfReader} pbf @returns {Sample} */
function readSample(pbf) {
  /** @type {Sample} */
  const sample = { locations: [], values: new Uint8Array(), labels: [], bucket: { key: 0, unit: 0, ms: 0 } };
  pbf.readMessage((field, into, reader) => {
    if (field === 1) reader.readPackedVarint(into.locations);
    else if (field === 2) into.values = reader.readBytes();
    else if (field === 3) into.labels.push(reader.readBytes());
    // The writer puts the bucket last.
  }, sample);
  return withBucket(sample);
}

/** @param {Sample} sample */
function withBucket(sample) {
  const last = sample.labels.pop() ?? new Uint8Array();
  new PbfReader(last).readFields((field, bucket, reader) => {
    if (field === 1) bucket.key = reader.readVarint();
    else if (field === 3) bucket.ms = reader.readVarint();
    else if (field === 4) bucket.unit = reader.readVarint();
  }, sample.bucket);
  return sample;
}

/** The same numbers every time. @param {number} seed */
function generator(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
}
