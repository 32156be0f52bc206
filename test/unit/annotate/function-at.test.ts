// Which function of a capture a line of the source is in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { functionAt, linesOfFunction } from "../../../extension/src/annotate/function-at.js";

const functions = [
  { functionIndex: 4, line: 10, endLine: 20 },
  { functionIndex: 7, line: 12, endLine: 14 },
  { functionIndex: 9, line: 0, endLine: 0 },
];

test("the innermost function that has the line, unless the one around it is selected", () => {
  assert.equal(functionAt({ functions }, 13), 7);
  assert.equal(functionAt({ functions }, 13, 4), 4);
  assert.equal(functionAt({ functions }, 13, 9), 7, "a function that is gone has no line");
  assert.equal(functionAt({ functions }, 20, 7), 4);
  assert.equal(functionAt({ functions }, 9, 4), -1);
  assert.equal(functionAt({ functions: [] }, 1), -1);
});

test("the lines of a function, from its head; none where the text does not have it, or no longer", () => {
  const { line, endLine } = linesOfFunction({ functions }, 4) ?? assert.fail();
  assert.deepEqual([line, endLine], [10, 20]);
  assert.equal(linesOfFunction({ functions }, 9), undefined);
  assert.equal(linesOfFunction({ functions }, 5), undefined);
});
