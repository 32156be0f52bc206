import assert from "node:assert/strict";
import { test } from "node:test";
import { measurementsPage } from "../../bench/report.mjs";
import { summary } from "../../bench/stats.mjs";
import { stopsIn } from "../../bench/stops.mjs";
import { ratesOf } from "../../bench/throughput.mjs";
import { verdicts } from "../../bench/wanted.mjs";

test("work rates are those between the first and the last line", () => {
  const progress = [
    { units: 100, ms: 1000, cpu_ms: 400 },
    { units: 150, ms: 1500, cpu_ms: 1200 },
    { units: 300, ms: 2000, cpu_ms: 2000 },
  ];
  assert.deepEqual(ratesOf(progress), { perSecond: 200, perCpuSecond: 125 });
  assert.throws(() => ratesOf(progress.slice(0, 1)), /too short/);
});

test("another program's turn on the CPU is no stop, and its time is not the thread's", () => {
  const { perSecond, stoppedShare, medianUs } = stopsIn(1_000_000_000, [10_000, 20_000, 30_000, 500_000_000]);
  assert.equal(perSecond, 6);
  assert.equal(stoppedShare, 60_000 / 500_000_000);
  assert.equal(medianUs, 20);
});

test("a figure that misses is told as missed, and one that is not there as not measured", () => {
  /** @type {Record<string, import("../../bench/wanted.mjs").Wanted>} */
  const table = {
    a: { least: 0.97, unit: "", measured: (results) => results.a },
    b: { most: 300, unit: "ms", measured: (results) => results.b },
    c: { least: 90, most: 110, unit: "%", measured: (results) => results.c },
    d: { most: 16, unit: "ms", measured: (results) => results.d },
    "said by tests": { most: 1, unit: "ms" },
  };
  assert.deepEqual(verdicts({ a: 0.96, b: 300, c: 111, d: NaN }, table), [
    { what: "a", wanted: "at least 0.97", seen: "0.96", verdict: "missed" },
    { what: "b", wanted: "at most 300 ms", seen: "300 ms", verdict: "met" },
    { what: "c", wanted: "at least 90, at most 110 %", seen: "111 %", verdict: "missed" },
    { what: "d", wanted: "at most 16 ms", seen: "", verdict: "not measured" },
  ]);
});

test("the page has a row for each profiler, with the interval of what was measured", () => {
  const each = { perSecond: summary([0.95, 0.97, 0.99]), perCpuSecond: summary([0.98, 0.99, 1]) };
  const page = measurementsPage({
    cpus: 2,
    kernel: "6.1",
    node: "v20",
    date: "2026-01-01",
    loadBefore: "0.1",
    rounds: 3,
    slowdown: { "extrospect bpf 997 Hz": each },
  });
  assert.match(page, /\| extrospect bpf 997 Hz \| 0\.990; mean 0\.990 ± 0\.025 \| 0\.970; mean 0\.970 ± 0\.050 \|/);
  assert.match(page, /under extrospect bpf 997 Hz, over without \| at least 0\.99 \| 0\.99 \| met \|/);
  assert.doesNotMatch(page, /Attaching/);
});

test("a figure names the size that was measured: a quick run says nothing of the large flame graph", () => {
  const row = { name: "extrospect", firstPaintMs: 90, frameMs: 3, frameP95Ms: 5, note: "" };
  const seen = (/** @type {number} */ frames) =>
    verdicts({ flameGraph: [{ ...row, frames }] })
      .filter(({ what }) => what.startsWith("flame graph of 500,000 frames"))
      .map(({ verdict }) => verdict);
  assert.deepEqual(seen(100_000), ["not measured", "not measured", "not measured"]);
  assert.deepEqual(seen(500_000), ["met", "met", "met"]);
});
