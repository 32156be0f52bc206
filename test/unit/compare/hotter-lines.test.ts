// Which lines of a function its change is at.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changedLines } from "../../../extension/src/comparison/hotter-lines.js";

const shares = (...lines: readonly (readonly [line: number, value: number])[]) => new Map(lines);
const same = (line: number) => line;

test("the lines that explain most of a change come first, those that explain little are not named", () => {
  const newer = shares([1, 0.05], [2, 0.3], [3, 0.2], [4, 0.11], [5, 0.1]);
  const base = shares([1, 0.01], [2, 0.1], [3, 0.1], [4, 0.01], [5, 0.2]);
  assert.deepEqual(changedLines(newer, base, same, 0.4), [2, 3, 4]);
  assert.deepEqual(changedLines(base, newer, same, -0.4), [2, 3, 4], "cooler ones of a function that takes less");
  assert.deepEqual(changedLines(newer, base, same, 0), []);
  assert.deepEqual(changedLines(shares([1, 0.16], [2, 0.15], [3, 0.14]), shares(), same, 1), [1, 2], "at the limit");
});

test("five lines are named, of equal ones the first", () => {
  const newer = shares([9, 0.2], [8, 0.2], [7, 0.2], [6, 0.2], [5, 0.2], [4, 0.2]);
  assert.deepEqual(changedLines(newer, shares(), same, 1.2), [4, 5, 6, 7, 8]);
});

test("older lines are found in the newer text: two that became one are summed up, one that is gone is none", () => {
  const moved = shares([1, 10], [2, 10], [3, 0]);
  const to = (line: number) => moved.get(line) ?? line;
  const base = shares([1, 0.25], [2, 0.25], [3, 0.3]);
  assert.deepEqual(changedLines(shares([10, 0.5], [11, 0.2]), base, to, 0.2), [11]);
  assert.deepEqual(changedLines(shares(), base, to, -0.8), [10]);
});
