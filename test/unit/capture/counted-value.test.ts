import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseValue, countedTypes } from "../../../extension/src/capture/decode/counted-value.js";

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

const BLOCKS = { name: "off_cpu_blocks", unit: "count" };
const BLOCKED = { name: "off_cpu", unit: "nanoseconds" };

test("each type of our own captures has its columns and its unit, the first one first", () => {
  const types = countedTypes([SAMPLES, CPU, BLOCKS, BLOCKED], "cpu", true, PERIOD, () => 0);
  assert.deepEqual(types, [
    {
      id: "cpu",
      samples: 0,
      counted: { column: 1, columns: 4, divisor: 10_101_010, periodNs: 10_101_010 },
      unit: "samples",
    },
    {
      id: "off-cpu",
      samples: 2,
      counted: { column: 3, columns: 4, divisor: 1e6, periodNs: 1e6 },
      unit: "ms of blocked time",
    },
  ]);
});

test("blocks are no samples where blocked time is the only type", () => {
  const none = { type: { name: "", unit: "" }, length: 0 };
  const [only, ...others] = countedTypes([BLOCKS, BLOCKED], "off_cpu", true, none, () => 0);
  assert.equal(only?.unit, "ms of blocked time");
  assert.equal(only.counted.column, 1);
  assert.deepEqual(others, []);
});

test("page faults are counted one by one, by what their samples stand for", () => {
  const none = { type: { name: "", unit: "" }, length: 0 };
  const columns = [
    { name: "fault_samples", unit: "count" },
    { name: "faults", unit: "count" },
  ];
  const [only, ...others] = countedTypes(columns, "faults", true, none, () => 0);
  assert.deepEqual(
    [only?.id, only?.unit, only?.counted.column, only?.counted.divisor],
    ["faults", "page faults", 1, 1],
  );
  assert.deepEqual(others, []);
});

test("another program may have the same names: one value of its profile is counted", () => {
  const [only, ...others] = countedTypes([SAMPLES, CPU, BLOCKS, BLOCKED], "cpu", false, PERIOD, () => 0);
  assert.deepEqual([only?.id, only?.counted.column], [null, 1]);
  assert.deepEqual(others, []);
});

test("other profiles are counted by their own default value", () => {
  assert.equal(chooseValue([SAMPLES, CPU], "cpu", false, PERIOD, () => 0).column, 1);
  assert.equal(chooseValue([SAMPLES, CPU], "samples", false, PERIOD, () => 0).column, 0);
});
