import assert from "node:assert/strict";
import { test } from "node:test";
import { median, quantile, summary } from "../../bench/stats.mjs";

test("medians and quartiles", () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(quantile([0, 10], 0.25), 2.5);
  assert.ok(Number.isNaN(median([])));
  assert.deepEqual(summary([5]), { median: 5, q1: 5, q3: 5, n: 1, mean: 5, halfWidth: NaN });
  assert.ok(Math.abs(summary([1, 2, 3]).halfWidth - 2.484) < 0.001);
});
