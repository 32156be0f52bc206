// Whether a capture of processor time and a watch of waits share a time.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CaptureFacts, WaitFacts } from "../../../extension/src/capture/questions.js";
import { sharedTime } from "../../../extension/src/panels/time-spent/spent-time.js";

const CPU = {
  target: { pid: 7, node: "shop@host" },
  startedUnixMs: 1_000_000,
  durationMs: 10_000,
  isOwn: true,
} as CaptureFacts;

/** A watch that begins 2 s after the samples. */
const watch = (own: Partial<WaitFacts>, startedUnixMs = 1_002_000) =>
  ({
    startedUnixMs,
    waits: { pid: 7, node: "shop@host", lookedSeconds: 3, untilSeconds: 3, ...own } as WaitFacts,
  }) as CaptureFacts;

test("the time that both have is that of the looks, as far as there are samples", () => {
  assert.deepEqual(sharedTime(CPU, watch({})), { timeMs: { from: 2000, to: 5000 }, sampledSeconds: 3 });
  assert.deepEqual(sharedTime(CPU, watch({}, 1_008_000)), { timeMs: { from: 8000, to: 11_000 }, sampledSeconds: 2 });
});

test("two times and two VMs are named", () => {
  assert.equal(sharedTime(CPU, watch({}, 1_010_000)), "otherTime");
  assert.equal(sharedTime(CPU, watch({ pid: 8 })), "otherVm");
});

test("blocked time alone is no processor time", () => {
  assert.equal(sharedTime({ ...CPU, types: ["off-cpu"] }, watch({})), "noCpu");
  assert.notEqual(sharedTime({ ...CPU, types: ["cpu", "off-cpu"] }, watch({})), "noCpu");
});

test("a watch with one look covers no time, which is no other time", () => {
  assert.equal(sharedTime(CPU, watch({ lookedSeconds: 0, untilSeconds: 0 })), "noSecondSnapshot");
});
