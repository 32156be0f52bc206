import assert from "node:assert/strict";
import { test } from "node:test";
import { isLookDue, LOOK_MS } from "../../../extension/src/targets/look-pace.js";

/** Milliseconds at which it is looked within a minute. */
function looks(isCapturing: boolean): number[] {
  const times: number[] = [];
  for (let now = LOOK_MS; now <= 60_000; now += LOOK_MS)
    if (isLookDue(now - (times.at(-1) ?? 0), isCapturing)) times.push(now);
  return times;
}

test("the list is refreshed while a capture runs, at a slower pace", () => {
  assert.equal(looks(false).length, 12);
  assert.deepEqual(looks(true), [15_000, 30_000, 45_000, 60_000]);
});

test("a timer that is a little early does not miss its look", () => {
  assert.ok(isLookDue(14_990, true));
  assert.ok(!isLookDue(10_010, true));
});
