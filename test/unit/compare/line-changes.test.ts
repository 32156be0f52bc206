// The changes of single lines between two captures.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lineChanges, type CountedLine, type CountedLines } from "../../../extension/src/comparison/line-changes.js";

const at = (line: number, samples: number, isUnsure = false): CountedLine => ({ line, samples, isUnsure });
const side = (whole: number, ...lines: CountedLine[]): CountedLines => ({ whole, lines });

test("lines of both sides are judged by their shares; what chance or another run explains is no change", () => {
  const changes = lineChanges(
    side(10_000, at(1, 1000), at(2, 1000), at(3, 1000), at(4, 3), at(6, 500)),
    side(20_000, at(1, 4000), at(2, 2050), at(3, 200, true), at(4, 12), at(5, 800)),
    5,
  );
  const said = [...changes]
    .sort(([a], [b]) => a - b)
    .map(([line, { before, now, change, isUnsure }]) => [line, before, now, change, isUnsure]);
  assert.deepEqual(said, [
    [1, 10, 20, "more", false],
    [2, 10, 10.25, "none", false],
    [3, 10, 1, "less", true],
    [4, 0.03, 0.06, "none", false],
    [5, 0, 4, "new", false],
    [6, 5, 0, "gone", false],
  ]);
});

test("with an idle side there is no result", () => {
  assert.equal(lineChanges(side(0), side(100, at(1, 50)), 5).size, 0);
  assert.equal(lineChanges(side(100, at(1, 50)), side(0), 5).size, 0);
});
