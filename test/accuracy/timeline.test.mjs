// Samples beside the VM's own times.
import assert from "node:assert/strict";
import { test } from "node:test";
import { batchesOf } from "./timeline.mjs";

test("C functions count by their whole name, and the time in no sample as the function's that is known to have it", () => {
  const functions = ["shop:work/1", "on_timeout", "brief_job"];
  const timeline = {
    start_unix_ns: 0,
    bucket_ns: 1e8,
    functions,
    rows: Array.from({ length: 20 }, () => [6e7, 3e7, 1e7, 0]),
  };
  const sample = (/** @type {string} */ name, /** @type {number} */ count) => ({
    frames: [{ name, kind: "native", rawName: name, file: "", line: 0 }],
    values: [count],
    labels: { bucket_ms: 400 },
  });
  const samples = [sample("shop:work/2", 3), sample("on_timeout", 2), sample("on_timeout_of_another", 7)];
  const recorded = { startUnixNs: 0, seconds: 2, samples, countIndex: 0 };
  const [first] = batchesOf({ ...recorded, unsampled: { name: "brief_job", samples: 40 } }, timeline);
  assert.deepEqual(first, { seen: [3, 2, 10], trueNs: [3e8, 1.5e8, 0.5e8] });
  assert.deepEqual(batchesOf(recorded, timeline)[0]?.seen, [3, 2, 0]);
});
