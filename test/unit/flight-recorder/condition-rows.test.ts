// The list for a condition has a row for the typed text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionRows } from "../../../extension/src/flight-recorder/condition-rows.js";
import { ENGLISH } from "../recording/fakes.js";

const OFFERED = [
  { condition: "rss>1GB", isUsed: true },
  { condition: "memory>8GB", isUsed: false },
];

test("a typed condition is recorded as it is", () => {
  const [first, ...others] = conditionRows(OFFERED, { text: " memory>10MB ", fault: undefined }, ENGLISH);
  assert.equal(first?.label, "Record when memory>10MB");
  assert.equal(first.condition, "memory>10MB");
  assert.ok(first.isFinal && first.alwaysShow === true);
  assert.deepEqual(
    others.map(({ label, description, isFinal }) => [label, description, isFinal]),
    [
      ["rss>1GB", "the last one", false],
      ["memory>8GB", "example", false],
      ["Write a Condition…", undefined, false],
    ],
  );
});

test("what is no condition yet has its fault as a row, which leads to the box", () => {
  const fault = "At character 8: a number is expected, 0 or more";
  const [first] = conditionRows(OFFERED, { text: "memory>", fault }, ENGLISH);
  assert.equal(first?.label, fault);
  assert.equal(first.condition, "memory>");
  assert.ok(!first.isFinal && first.alwaysShow === true);
  assert.equal(conditionRows(OFFERED, undefined, ENGLISH)[0]?.label, "rss>1GB");
});
