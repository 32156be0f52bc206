import assert from "node:assert/strict";
import { test } from "node:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parseProfile, readProfile, readUnfinishedProfile } from "../pprof-reader.mjs";

/** @param {number} field @param {number[] | string} content */
const part = (field, content) => {
  const bytes = Buffer.from(/** @type {any} */ (content));
  return [(field << 3) | 2, bytes.length, ...bytes];
};
const head = Buffer.from([
  ...part(6, ""),
  ...part(6, "samples"),
  ...part(6, "lists:sort/1"),
  ...part(6, "erlang!lists:sort/1"),
  ...part(6, "lists.erl"),
  ...part(6, "trust"),
  ...part(6, "captured"),
  ...part(1, [8, 1]),
  ...part(5, [8, 1, 16, 2, 24, 3, 32, 4]),
  ...part(4, [8, 7, ...part(4, [8, 1, 16, 42])]),
]);
const increment = Buffer.from(part(2, [...part(1, [7]), ...part(2, [3]), ...part(3, [8, 5, 16, 6])]));

test("frames, values and labels of a packed profile", () => {
  const { samples, sampleTypes } = parseProfile(Buffer.concat([head, increment]));
  assert.deepEqual(sampleTypes, ["samples"]);
  assert.deepEqual(samples, [
    {
      frames: [{ name: "lists:sort/1", kind: "erlang", rawName: "lists:sort/1", file: "lists.erl", line: 42 }],
      values: [3],
      labels: { trust: "captured" },
    },
  ]);
});

test("a file of several gzip members, and one that was cut", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "pprof-reader-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const members = [gzipSync(head), gzipSync(increment), gzipSync(increment)];
  const file = join(folder, "capture.pb.gz");
  writeFileSync(file, Buffer.concat(members));
  assert.equal(readProfile(file).samples.length, 2);
  writeFileSync(file, Buffer.concat(members).subarray(0, -5));
  assert.throws(() => readProfile(file));
  assert.equal(readUnfinishedProfile(file).samples.length, 1);
});

test("nonsense is refused", () => {
  assert.throws(() => parseProfile(Buffer.from([0x12, 0x7f, 1])), /past the end/);
  assert.throws(() => parseProfile(Buffer.concat([head, Buffer.from(part(2, part(1, [9])))])), /location 9/);
  assert.throws(() => parseProfile(Buffer.alloc(20, 0xff)), /too long|past the end|wire type/);
});
