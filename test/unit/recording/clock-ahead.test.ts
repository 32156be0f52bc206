import assert from "node:assert/strict";
import { test } from "node:test";
import { newCapture } from "../../../extension/src/capture/capture-model.js";
import { clockAheadMs } from "../../../extension/src/recording/clock-ahead.js";

/** A capture that says it began then. */
function began(startedUnixMs: number) {
  return { capture: Object.defineProperty(newCapture(), "facts", { value: { startedUnixMs } }), startAsked: { fromUnixMs: 1_000_000, toUnixMs: 1_000_200 } };
}

test("the middle of the round trip is when it began by the clock here", () => {
  assert.equal(clockAheadMs(began(1_060_100), true), 60_000);
  assert.equal(clockAheadMs(began(940_100), true), -60_000);
});

test("what the round trip leaves open is no difference, nor is anything on this machine or of a capture that does not say", () => {
  assert.equal(clockAheadMs(began(1_000_000), true), 0);
  assert.equal(clockAheadMs(began(1_000_200), true), 0);
  assert.equal(clockAheadMs(began(1_060_100), false), 0);
  assert.equal(clockAheadMs(began(0), true), 0);
  assert.equal(clockAheadMs({ ...began(1_060_100), startAsked: undefined }, true), 0);
});
