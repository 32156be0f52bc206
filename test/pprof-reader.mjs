// A small reader of pprof profiles, written against the public format and not against the
// helper, so that a test of capture files does not believe the code it tests.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** A field of our own, which pprof does not have. */
const NODE_READING = 1000;
/** The contents of a reading, by its fields from 1 on; all but the first may be missing. */
const READING = [
  ...[
    "atMs",
    "runQueue",
    "dirtyCpuRunQueue",
    "dirtyIoRunQueue",
    "processes",
    "memoryBytes",
    "rssBytes",
    "largestMailbox",
    "waitingMessages",
  ],
  ...[
    "collections",
    "reclaimedWords",
    "reductions",
    "contextSwitches",
    "ioInBytes",
    "ioOutBytes",
    "largestMailboxPid",
    "costUs",
  ],
];

/** Another one: a long collection or call. Its fields from 1 on: numbers, then texts. */
const STAY = 1002;
const STAY_KINDS = ["", "collection", "minor_collection", "major_collection", "nif", "bif", "native"];

/**
 * @typedef {object} Frame
 * @property {string} name
 * @property {string} kind     the part before "!" in system_name
 * @property {string} rawName  the part after it
 * @property {string} file
 * @property {number} line     of the call or of the sample
 *
 * @typedef {object} ProfileSample
 * @property {Frame[]} frames  leaf first
 * @property {number[]} values
 * @property {Record<string, string | number>} labels
 *
 * @typedef {object} Stay
 * @property {number} atUs
 * @property {number} lastsUs
 * @property {number} samples
 * @property {string} kind
 * @property {string} scheduler
 * @property {string} pid
 * @property {string} process
 * @property {string} function
 * @property {number} line
 * @property {string} called
 *
 * @typedef {object} Profile
 * @property {string[]} sampleTypes
 * @property {ProfileSample[]} samples
 * @property {string[]} comments
 * @property {({atMs: number, runQueue: number} & Record<string, number>)[]} readings   the VM's figures over time
 * @property {Stay[]} stays   long collections and calls
 */

/**
 * @param {string} path
 * @returns {Profile}
 */
export function readProfile(path) {
  return parseProfile(gunzipSync(readFileSync(path))); // gunzip reads all members of the file
}

/**
 * The part of a file that was being written which is whole: its complete gzip members.
 * @param {string} path
 */
export function readUnfinishedProfile(path) {
  const bytes = readFileSync(path);
  for (let end = bytes.length; end > 0; end = bytes.lastIndexOf(Buffer.from([0x1f, 0x8b, 0x08]), end - 1)) {
    try {
      return parseProfile(gunzipSync(bytes.subarray(0, end)));
    } catch {
      // the last member is cut; try without it
    }
  }
  throw new Error(`${path} holds no complete gzip member`);
}

/**
 * @param {Buffer} bytes
 * @returns {Profile}
 */
export function parseProfile(bytes) {
  /** @type {string[]} */
  const strings = [];
  /** @type {Map<number, Map<number, any[]>>} */
  const locations = new Map();
  /** @type {Map<number, Map<number, any[]>>} */
  const functions = new Map();
  const rawSamples = [];
  const types = [];
  const comments = [];
  const readings = [];
  const stays = [];
  for (const [field, value] of fields(bytes)) {
    if (field === 1) types.push(message(value));
    else if (field === 2) rawSamples.push(message(value));
    else if (field === 4) remember(locations, message(value));
    else if (field === 5) remember(functions, message(value));
    else if (field === 6) strings.push(value.toString("utf8"));
    else if (field === 13) comments.push(...numbers([value]));
    else if (field === NODE_READING) readings.push(message(value));
    else if (field === STAY) stays.push(stayOf(message(value)));
  }
  /** @param {number} index */
  const text = (index) => {
    if (strings[index] === undefined) throw new Error(`string ${index} of ${strings.length} is used`);
    return strings[index];
  };
  const framesOf = new Map(
    [...locations].map(([id, location]) => [id, (location.get(4) ?? []).map((bytes) => frame(message(bytes)))]),
  );
  /** @param {Map<number, any[]>} line */
  function frame(line) {
    const facts = functions.get(one(line, 1));
    if (!facts) throw new Error(`function ${one(line, 1)} is used but not there`);
    return {
      name: text(one(facts, 2)),
      kind: text(one(facts, 3)).split("!", 1).join(),
      rawName: text(one(facts, 3)).slice(text(one(facts, 3)).indexOf("!") + 1),
      file: text(one(facts, 4)),
      line: one(line, 2),
    };
  }
  const samples = rawSamples.map((sample) => ({
    frames: numbers(sample.get(1) ?? []).flatMap((id) => {
      const frames = framesOf.get(id);
      if (!frames) throw new Error(`location ${id} is used but not there`);
      return frames;
    }),
    values: numbers(sample.get(2) ?? []),
    labels: Object.fromEntries(
      (sample.get(3) ?? [])
        .map(message)
        .map((label) => [text(one(label, 1)), label.has(2) ? text(one(label, 2)) : one(label, 3)]),
    ),
  }));
  return {
    sampleTypes: types.map((type) => text(one(type, 1))),
    samples,
    comments: comments.map(text),
    readings: readings.map(
      (of) =>
        /** @type {any} */ (
          Object.fromEntries(
            READING.flatMap((name, index) => (index === 0 || of.has(index + 1) ? [[name, one(of, index + 1)]] : [])),
          )
        ),
    ),
    stays,
  };
}

/** @param {Map<number, any[]>} entry @returns {Stay} */
function stayOf(entry) {
  const text = (/** @type {number} */ field) => String(entry.get(field)?.at(-1) ?? "");
  return {
    atUs: one(entry, 1),
    lastsUs: one(entry, 2),
    samples: one(entry, 3),
    kind: STAY_KINDS[one(entry, 4)] ?? "",
    scheduler: text(5),
    pid: text(6),
    process: text(7),
    function: text(8),
    line: one(entry, 9),
    called: text(10),
  };
}

/**
 * Samples a stack stands for.
 * @param {Profile} profile
 */
export function countIndex(profile) {
  const index = profile.sampleTypes.indexOf("samples");
  if (index < 0) throw new Error(`no value called samples among ${profile.sampleTypes.join(", ")}`);
  return index;
}

/** @param {Map<number, Map<number, any[]>>} table @param {Map<number, any[]>} entry */
function remember(table, entry) {
  table.set(one(entry, 1), entry);
}

/** @param {Buffer} bytes @returns {Map<number, any[]>} values by field number */
function message(bytes) {
  const all = new Map();
  for (const [field, value] of fields(bytes)) {
    const sofar = all.get(field);
    if (sofar) sofar.push(value);
    else all.set(field, [value]);
  }
  return all;
}

/** @param {Map<number, any[]>} entry @param {number} field */
function one(entry, field) {
  const values = entry.get(field);
  return values ? Number(values[values.length - 1]) : 0;
}

/**
 * A repeated number, packed or not.
 * @param {any[]} values
 */
function numbers(values) {
  const all = [];
  for (const value of values) {
    if (!Buffer.isBuffer(value)) all.push(Number(value));
    else
      for (let at = 0; at < value.length;) {
        const [number, next] = varint(value, at);
        all.push(Number(number));
        at = next;
      }
  }
  return all;
}

/**
 * @param {Buffer} bytes
 * @returns {Generator<[number, any]>} field number with a number or the bytes
 */
function* fields(bytes) {
  let at = 0;
  while (at < bytes.length) {
    const [tag, afterTag] = varint(bytes, at);
    const field = Number(tag >> 3n);
    const wireType = Number(tag & 7n);
    if (wireType === 0) {
      const [value, next] = varint(bytes, afterTag);
      yield [field, BigInt.asIntN(64, value)];
      at = next;
    } else if (wireType === 2) {
      const [length, start] = varint(bytes, afterTag);
      const end = start + Number(length);
      if (end > bytes.length) throw new Error("a field reaches past the end");
      yield [field, bytes.subarray(start, end)];
      at = end;
    } else if (wireType === 1 || wireType === 5) {
      at = afterTag + (wireType === 1 ? 8 : 4); // pprof has none, but they can be skipped
    } else {
      throw new Error(`wire type ${wireType} at ${at}`);
    }
  }
}

/** @param {Buffer} bytes @param {number} at @returns {[bigint, number]} */
function varint(bytes, at) {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = bytes[at++];
    if (byte === undefined) throw new Error("a number reaches past the end");
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return [BigInt.asUintN(64, value), at];
  }
  throw new Error("a number is too long");
}
