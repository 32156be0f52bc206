// A real capture, changed as if some functions took more time or less: their samples occur more often or less often.
import { gunzipSync, gzipSync } from "node:zlib";
import { parseProfile } from "./pprof-reader.mjs";

const SAMPLE_FIELD = 2;
const STRING_FIELD = 6;
const TIME_FIELD = 9;
const COMMENT_FIELD = 13;
const BYTES = 2;

/**
 * @param {Buffer} gzip
 * @param {(frames: import("./pprof-reader.mjs").Frame[], index: number) => number} times how often a sample is to be there, by its stack (leaf first) and its number
 */
export function changedCapture(gzip, times) {
  const bytes = gunzipSync(gzip);
  const { samples } = parseProfile(bytes);
  /** @type {Buffer[]} */
  const parts = [];
  let index = 0;
  for (const { field, record } of records(bytes)) {
    if (field !== SAMPLE_FIELD) {
      parts.push(record);
      continue;
    }
    const sample = samples[index];
    if (sample === undefined) throw new Error(`sample ${index} of ${samples.length} is not there`);
    for (let left = times(sample.frames, index); left > 0; left--) parts.push(record);
    index++;
  }
  return gzipSync(Buffer.concat(parts));
}

/**
 * A capture with one more comment about itself, as a member of its own at the end.
 * @param {Buffer} gzip
 * @param {string} comment
 */
export function withComment(gzip, comment) {
  const strings = [...records(gunzipSync(gzip))].filter(({ field }) => field === STRING_FIELD).length;
  const field = (/** @type {number} */ number, /** @type {Buffer} */ content) =>
    Buffer.concat([Buffer.from([number * 8 + BYTES]), varint(content.length), content]);
  const added = Buffer.concat([field(STRING_FIELD, Buffer.from(comment)), field(COMMENT_FIELD, varint(strings))]);
  return Buffer.concat([gzip, gzipSync(added)]);
}

/**
 * A capture as if it had been taken at another time, of this commit.
 * @param {Buffer} gzip
 * @param {{commit: string, startedUnixMs: number, dirty?: boolean}} taken
 */
export function takenOf(gzip, { commit, startedUnixMs, dirty = false }) {
  const bytes = [];
  let left = BigInt(startedUnixMs) * 1_000_000n;
  for (; left >= 0x80n; left >>= 7n) bytes.push(Number(left & 0x7fn) + 0x80);
  const start = gzipSync(Buffer.from([TIME_FIELD * 8, ...bytes, Number(left)]));
  return Buffer.concat([withComment(gzip, `extrospect/origin ${JSON.stringify({ commit, dirty })}`), start]);
}

/** @param {number} value */
function varint(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 128)) bytes.push((value % 128) + 0x80);
  return Buffer.from([...bytes, value]);
}

/** The fields of a message with their keys, as they are. @param {Buffer} bytes */
function* records(bytes) {
  let at = 0;
  const varint = () => {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("the message is cut");
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
  };
  while (at < bytes.length) {
    const start = at;
    const key = varint();
    switch (key % 8) {
      case 0:
        varint();
        break;
      case 1:
        at += 8;
        break;
      case 2: {
        const length = varint();
        at += length;
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        throw new Error(`wire type ${key % 8}`);
    }
    yield { field: Math.floor(key / 8), record: bytes.subarray(start, at) };
  }
}
