import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseValue } from "../../../extension/src/capture/decode/counted-value.js";

const SAMPLES = { name: "samples", unit: "count" };
const CPU = { name: "cpu", unit: "nanoseconds" };
const PERIOD = { type: CPU, length: 10_101_010 };

test("our own captures are counted by processor time in samples: the rate may have been lowered meanwhile", () => {
  const chosen = chooseValue([SAMPLES, CPU], "cpu", true, PERIOD, () => 0);
  assert.deepEqual(chosen, { column: 1, columns: 2, divisor: 10_101_010, periodNs: 10_101_010, unit: "samples" });
});

test("without processor time or a period it is the samples themselves", () => {
  assert.equal(chooseValue([SAMPLES], "", true, PERIOD, () => 0).column, 0);
  assert.deepEqual(
    chooseValue([SAMPLES, CPU], "cpu", true, { type: CPU, length: 0 }, () => 0),
    { column: 0, columns: 2, divisor: 1, periodNs: 0, unit: "samples" },
  );
});

test("other profiles are counted by their own default value", () => {
  assert.equal(chooseValue([SAMPLES, CPU], "cpu", false, PERIOD, () => 0).column, 1);
  assert.equal(chooseValue([SAMPLES, CPU], "samples", false, PERIOD, () => 0).column, 0);
});
