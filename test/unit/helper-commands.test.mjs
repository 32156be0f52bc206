import assert from "node:assert/strict";
import { test } from "node:test";
import { progressReader, quality, withoutQuality } from "../../scripts/helper-commands.mjs";

test("the helper's progress is distinguished from its errors, in whatever pieces it comes", () => {
  /** @type {string[]} */
  const seen = [];
  const read = progressReader((text) => seen.push(text));
  read("\r\x1b[2K");
  read("sampling 1/3 s, 494 samples, 0 lost");
  read("\r\x1b[2Ksampling 2/3 s, 980 samples, 0 lost\r\x1b[2K");
  read("extrospect: process 7 went away\n");
  assert.deepEqual(seen, ["sampling 1/3 s, 494 samples, 0 lost", "sampling 2/3 s, 980 samples, 0 lost"]);
});

test("the quality line is taken out of a table", () => {
  const output = "10 samples\na b\nquality: 10 samples\n";
  assert.equal(quality(output), "quality: 10 samples");
  assert.equal(withoutQuality(output), "10 samples\na b\n");
});
