import assert from "node:assert/strict";
import { test } from "node:test";
import { newCapture } from "../../../extension/src/capture/capture-model.js";
import { clockAheadMs, clockAtBothEnds } from "../../../extension/src/recording/clock-ahead.js";

/** A capture that began then, by its facts. */
function began(startedUnixMs: number) {
  return {
    capture: Object.defineProperty(newCapture(), "facts", { value: { startedUnixMs } }),
    startRequested: { fromUnixMs: 1_000_000, toUnixMs: 1_000_200 },
  };
}

test("the middle of the round trip is when it began by the clock here", () => {
  assert.equal(clockAheadMs(began(1_060_100), true), 60_000);
  assert.equal(clockAheadMs(began(940_100), true), -60_000);
});

test("what the round trip leaves open is no difference, nor is anything on this machine or of a capture without a time", () => {
  assert.equal(clockAheadMs(began(1_000_000), true), 0);
  assert.equal(clockAheadMs(began(1_000_200), true), 0);
  assert.equal(clockAheadMs(began(1_060_100), false), 0);
  assert.equal(clockAheadMs(began(0), true), 0);
  assert.equal(clockAheadMs({ ...began(1_060_100), startRequested: undefined }, true), 0);
});

/** One that began a minute ahead and took ten seconds by the clock there. */
function ended(tookHereMs: number) {
  const began = { startedUnixMs: 1_060_100, durationMs: 10_000 };
  const fromUnixMs = 1_000_000 + tookHereMs;
  return {
    capture: Object.defineProperty(newCapture(), "facts", { value: began }),
    startRequested: { fromUnixMs: 1_000_000, toUnixMs: 1_000_200 },
    stopRequested: { fromUnixMs, toUnixMs: fromUnixMs + 200 },
  };
}

test("a clock that runs as the one here is as far ahead at the end, one that runs faster is further ahead", () => {
  assert.deepEqual(clockAtBothEnds(ended(10_000), true), { aheadMs: 60_000, aheadAtEndMs: 60_000 });
  assert.deepEqual(clockAtBothEnds(ended(10_099), true), { aheadMs: 60_000, aheadAtEndMs: 60_000 });
  assert.deepEqual(clockAtBothEnds(ended(9_500), true), { aheadMs: 60_000, aheadAtEndMs: 60_500 });
  assert.deepEqual(clockAtBothEnds(ended(11_000), true), { aheadMs: 60_000, aheadAtEndMs: 59_000 });
});

test("this machine, or a capture that ended by itself, has no remark", () => {
  assert.equal(clockAtBothEnds(ended(10_000), false), undefined);
  assert.equal(clockAtBothEnds({ ...ended(10_000), stopRequested: undefined }, true), undefined);
});
