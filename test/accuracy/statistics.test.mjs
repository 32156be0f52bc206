// The yardstick itself: known quantiles, and intervals that hold as often as they claim.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compareShares, fitLine, rangeOf, studentQuantile, upperBound } from "./statistics.mjs";

/** A small generator of the same numbers each time. @param {number} seed */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** @param {() => number} random */
const normal = (random) => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());

test("quantiles of Student's distribution are those of the tables", () => {
  for (const [confidence, freedom, expected] of [
    [0.95, 1, 12.706],
    [0.99, 5, 4.032],
    [0.99, 11, 3.106],
    [0.95, 30, 2.042],
    [0.99, 1e6, 2.576],
  ]) {
    assert.ok(
      Math.abs(studentQuantile(confidence ?? 0, freedom ?? 0) - (expected ?? 0)) < 0.001,
      `${confidence} ${freedom}`,
    );
  }
});

test("an interval of a share contains the truth as often as it claims", () => {
  const random = randomOf(1);
  let held = 0;
  for (let run = 0; run < 400; run++) {
    // Three parts of one half, three tenths, two tenths; the machine is busy now and then.
    const batches = Array.from({ length: 9 }, () => {
      const trueNs = [5, 3, 2].map((part) => part * 5e7 * (1 + 0.1 * normal(random)));
      const seen = trueNs.map((ns) => Math.max(0, Math.round(ns / 1e6 + Math.sqrt(ns / 1e6) * normal(random))));
      return { seen, trueNs };
    });
    const [half] = compareShares(batches);
    assert.ok(half && half.halfWidth > 0.5 && half.halfWidth < 8, `+-${half?.halfWidth}`);
    if (Math.abs(half.error) <= half.halfWidth) held += 1;
  }
  assert.ok(held >= 0.97 * 400, `held ${held} of 400 times`);
});

test("an error of the sampler is seen", () => {
  const random = randomOf(2);
  const batches = Array.from({ length: 9 }, () => {
    const trueNs = [2.5e8 * (1 + 0.1 * normal(random)), 2.5e8];
    return { seen: [Math.round((trueNs[0] ?? 0) / 1e6), Math.round((trueNs[1] ?? 0) / 1.2e6)], trueNs };
  });
  const [first, second] = compareShares(batches);
  assert.ok(first && second && first.error > 4 && second.error < -4);
  assert.ok(first.error > first.halfWidth, "and beyond its interval");
});

test("lines, ranges and bounds", () => {
  const line = fitLine([0, 1, 2, 3, 4, 5].map((x) => ({ x, y: 2 * x + 1 + (x % 2 ? 0.01 : -0.01) })));
  assert.ok(Math.abs(line.slope - 2) < line.halfWidth && line.halfWidth < 0.03);
  assert.deepEqual(rangeOf([3, 1, 9]), { median: 3, lowest: 1, highest: 9 });
  assert.deepEqual(rangeOf([4, 2]), { median: 3, lowest: 2, highest: 4 });
  assert.ok(upperBound(0, 5000) < 0.0015 && upperBound(0, 5000) > 0.0005);
  assert.ok(upperBound(5, 10) > 0.5 && upperBound(0, 0) === 1);
  assert.throws(() => compareShares([]), /nothing to compare/);
});
