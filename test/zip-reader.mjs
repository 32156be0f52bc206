// Reads zip archives: the list at their end, and the files it points at.
import assert from "node:assert/strict";
import { inflateRawSync } from "node:zlib";

/**
 * @typedef {object} ZipEntry
 * @property {string} name
 * @property {number} mode         of Unix; 0 when it was not packed on one
 * @property {number} size         unpacked
 * @property {() => Buffer} read
 */

const LIST_END = 0x06054b50;
const LIST_ENTRY = 0x02014b50;
const LIST_END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;
const UNIX = 3;

/**
 * @param {Buffer} zip   without Zip64
 * @returns {ZipEntry[]} in the order of the list
 */
export function zipEntries(zip) {
  const end = listEnd(zip);
  const count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  const entries = [];
  for (let index = 0; index < count; index += 1) {
    assert.equal(zip.readUInt32LE(at), LIST_ENTRY, "an entry of the list");
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const entry = at;
    const isUnix = zip.readUInt8(at + 5) === UNIX;
    entries.push({
      name: zip.toString("utf8", at + 46, at + 46 + (nameBytes ?? 0)),
      mode: isUnix ? zip.readUInt32LE(at + 38) >>> 16 : 0,
      size: zip.readUInt32LE(at + 24),
      read: () => content(zip, entry),
    });
    at += 46 + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0);
  }
  return entries;
}

/** @param {Buffer} zip */
function listEnd(zip) {
  for (
    let at = zip.length - LIST_END_BYTES;
    at >= Math.max(0, zip.length - LIST_END_BYTES - LONGEST_COMMENT);
    at -= 1
  ) {
    if (zip.readUInt32LE(at) === LIST_END) return at;
  }
  return assert.fail("this is no zip archive");
}

/** @param {Buffer} zip @param {number} entry */
function content(zip, entry) {
  const method = zip.readUInt16LE(entry + 10);
  const packedBytes = zip.readUInt32LE(entry + 20);
  const local = zip.readUInt32LE(entry + 42);
  // The header in front of the file may have another extra field than the list.
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const packed = zip.subarray(start, start + packedBytes);
  if (method === 0) return packed;
  assert.equal(method, 8, "stored or deflated");
  return inflateRawSync(packed);
}
