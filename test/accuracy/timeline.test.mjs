// Samples beside the VM's own times.
import assert from "node:assert/strict";
import { test } from "node:test";
import { batchesOf } from "./timeline.mjs";
import { SPLITS } from "./workloads.mjs";

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

test("the ends of processes are known without names of C functions: by the mark, and by no function of the program", () => {
  const { parts } = SPLITS.find(({ name }) => name === "exits") ?? assert.fail("no such workload");
  const timeline = {
    start_unix_ns: 0,
    bucket_ns: 1e8,
    functions: ["gt_exits:live/2", "ends of processes"],
    rows: Array.from({ length: 20 }, () => [6e7, 3e7, 0]),
  };
  const frame = (/** @type {string} */ kind) => (/** @type {string} */ name) => ({
    kind,
    name,
    rawName: name,
    file: "",
    line: 0,
  });
  const [erlang, marker, native] = [frame("erlang"), frame("marker"), frame("native")("beam.smp!fn@0x203470")];
  const sample = (
    /** @type {number} */ count,
    /** @type {import("./legality.mjs").Frame[]} */ frames,
    pid = "<0.90.0>",
  ) => ({ frames, values: [count], labels: { bucket_ms: 400, ...(pid !== "" && { pid }) } });
  const samples = [
    sample(1, [erlang("gt_exits:live/2"), erlang("gt_exits:mortal/3")]),
    sample(20, [native, erlang("gt_exits:mortal/3")]),
    sample(300, [native, marker("[exiting]"), erlang("gt_exits:mortal/3")]),
    sample(4_000, [native, erlang("erts_beamasm:normal_exit/0")]),
    sample(50_000, [native, erlang("gen_server:loop/7"), erlang("proc_lib:init_p_do_apply/3")]),
    sample(600_000, [native], ""),
  ];
  const recorded = { startUnixNs: 0, seconds: 2, samples, countIndex: 0, ...(parts && { parts }) };
  assert.deepEqual(batchesOf(recorded, timeline)[0]?.seen, [1, 4_300]);
});
