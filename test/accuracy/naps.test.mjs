// The judge of blocked time: naps by their functions, and blocks that the program cannot have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeNaps } from "./naps.mjs";

/**
 * @param {[string, string][]} frames   kind and name @param {number[]} values   blocks and nanoseconds
 * @param {Record<string, string>} labels
 */
const sample = (frames, values, labels = {}) => ({
  frames: frames.map(([kind, name]) => ({ kind, name })),
  values: [1, 1_000_000, ...values],
  labels: { off_cpu: "blocked", scheduler: "1", pid: "<0.90.0>", ...labels },
});

const NAP = /** @type {[string, string]} */ (["nif", "nap"]);
const SHORT = /** @type {[string, string]} */ (["erlang", "gt_known_naps:short_naps/1"]);
const DIRTY = /** @type {[string, string]} */ (["erlang", "gt_known_naps:dirty_naps/1"]);

test("blocks in a NIF are those of its caller; others, idle and preempted ones are in no figure", () => {
  const profile = {
    sampleTypes: ["samples", "cpu", "off_cpu_blocks", "off_cpu"],
    samples: [
      sample([NAP, SHORT], [2, 2_100_000]),
      sample([NAP, SHORT], [1, 900_000]),
      sample([NAP, DIRTY], [1, 20_000_000], { scheduler: "dirty-io 3" }),
      sample([SHORT], [1, 5], {}),
      sample([NAP, SHORT], [1, 7], { off_cpu: "preempted" }),
      sample([NAP, ["marker", "[unproven]"]], [4, 8]),
    ],
  };
  const seen = judgeNaps(/** @type {any} */ (profile));
  assert.deepEqual(seen.blocks, [3, 0, 1]);
  assert.deepEqual(seen.nanoseconds, [3_000_000, 0, 20_000_000]);
  assert.deepEqual([seen.complete, seen.unproven, seen.wrong.size], [4, 4, 0]);
});

test("a nap below no function, below two or on a scheduler of the other kind is wrong", () => {
  const profile = {
    sampleTypes: ["off_cpu_blocks", "off_cpu"],
    samples: [
      { ...sample([NAP], []), values: [1, 9] },
      { ...sample([NAP, SHORT, DIRTY], []), values: [2, 9] },
      { ...sample([NAP, DIRTY], []), values: [3, 9] },
    ],
  };
  const { wrong, blocks } = judgeNaps(/** @type {any} */ (profile));
  assert.deepEqual(
    [...wrong],
    [
      ["0 of the functions that nap", 1],
      ["2 of the functions that nap", 2],
      ["gt_known_naps:dirty_naps/1 on scheduler 1", 3],
    ],
  );
  assert.deepEqual(blocks, [0, 0, 0]);
});
