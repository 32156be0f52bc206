// stat: its counts lie between those that the VM and the kernel report inside and outside of its time.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { assertRefused, helperJson, runHelper } from "../e2e/helper.mjs";
import { releasesOf } from "../nightly.mjs";
import { letGo } from "../vms/held.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { holdWhole } from "../vms/stopped.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";

/** @typedef {{before: Record<string, number>, after: Record<string, number>}} Times */

/** Counters of the VM, by the names of `stat --json` and of gt_inside's `statistics`. */
const OF_VM = ["collections", "reclaimed_words", "reductions", "context_switches", "io_in_bytes", "io_out_bytes"];
/** Counters of threads, which the kernel forgets when they end. */
const OF_THREADS = ["voluntary_switches", "involuntary_switches", "processor_wait_ms"];
/** Counters of the processors of these threads, as far as this machine and the rights permit. */
const OF_HARDWARE = ["cycles", "instructions", "cache_misses", "branch_misses"];
const OF_EVENTS = ["migrations", ...OF_HARDWARE];
const OF_OS = ["cpu_ms", "minor_faults", "major_faults", ...OF_THREADS];
const LEVELS = ["run_queue", "processes", "memory_bytes", "rss_bytes"];
/** A clock tick of /proc. */
const TICK_MS = 10;

for (const release of releasesOf(ALL_OTP_RELEASES, "27")) {
  test(`OTP ${release}: what it counts until Ctrl-C is what the VM and the kernel count`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_inside", args: [10] });
    t.after(() => vm.kill());
    // The code that the first report loads is there by then.
    await vm.report();
    /** @type {Times} */
    const outer = { before: await reported(vm), after: {} };
    /** @type {Times} */
    const inner = { before: {}, after: {} };
    const run = await runHelper(["stat", vm.pid, "-d", 0, "-I", 100, "--per-scheduler", "--json"], {
      // It has counted an interval, and goes on.
      onStart: (child) =>
        child.stdout?.once("data", () => {
          const within = async () => {
            inner.before = await reported(vm);
            inner.after = await reported(vm);
          };
          void within().finally(() => child.kill("SIGINT"));
        }),
    });
    outer.after = await reported(vm);
    assert.equal(run.code, 0, run.stderr);
    const lines = run.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const all = lines.pop();
    assert.ok(all.circumstances, run.stdout);
    for (const name of [...OF_VM, ...OF_OS]) {
      const counted = all.counters[name];
      if (counted === null) {
        assert.ok(OF_OS.includes(name), `${name}: ${all.unknown[name]}`);
        assert.equal(typeof all.unknown[name], "string", name);
        continue;
      }
      const isLess = OF_THREADS.includes(name) && all.ended_threads > 0;
      assert.equal(counted.at_least, isLess, name);
      const [least, most] = [inner, outer].map((times) => difference(times, name));
      assert.ok(isLess || counted.total >= (least ?? 0), `${name}: ${counted.total}, the VM counts ${least} within it`);
      assert.ok(counted.total <= (most ?? 0), `${name}: ${counted.total}, the VM counts ${most} around it`);
      assert.equal(
        counted.total,
        sum(lines.map(({ counters }) => counters[name].total)),
        `${name}: the intervals are all of it`,
      );
    }
    for (const printed of lines.concat(all)) {
      addsUp(printed);
      isKnownOrHasReason(printed);
    }
    for (const name of OF_EVENTS) {
      if (all.counters[name] === null || lines.some(({ counters }) => counters[name] === null)) continue;
      const intervals = lines.map(({ counters }) => counters[name].total);
      assert.equal(all.counters[name].total, sum(intervals), `${name}: the intervals are all of it`);
    }
    for (const name of LEVELS) {
      const { mean, most, last } = all.levels[name];
      assert.ok(mean <= most && last <= most, name);
    }
    assert.ok(all.levels.rss_bytes.last > 1e7, run.stdout);
    assert.deepEqual(
      lines.map(({ interval }) => interval),
      lines.map((_, index) => index + 1),
    );
    // Each interval begins with the last reading of the one before.
    assert.equal(all.readings - 1, sum(lines.map(({ readings }) => readings - 1)));
  });
}

/**
 * The counts of each scheduler, of the queues that several have and of the other threads are those of the whole; of times,
 * each row leaves out the part of a millisecond.
 * @param {any} printed
 */
function addsUp({ counters, schedulers, unknown }) {
  assert.equal(unknown.schedulers, undefined);
  const kinds = schedulers.map((/** @type {any} */ { kind, number }) => `${kind} ${number}`);
  assert.equal(new Set(kinds).size, kinds.length);
  for (const kind of ["normal 1", "dirty_cpu 1", "dirty_io 1", "dirty_cpu_queue null", "other_threads null"])
    assert.ok(kinds.includes(kind), kind);
  for (const name of [...OF_VM, ...OF_THREADS, ...OF_EVENTS]) {
    const rows = schedulers.filter((/** @type {any} */ row) => row.counters[name] !== undefined);
    if (counters[name] === null) continue;
    assert.ok(rows.length > 0, name);
    const total = sum(rows.map((/** @type {any} */ row) => row.counters[name].total));
    const missing = counters[name].total - total;
    const most = name === "processor_wait_ms" ? rows.length : 0;
    assert.ok(Math.abs(missing) <= most, `${name}: ${total} in the rows, ${counters[name].total} in all`);
  }
  for (const { kind, counters: own, run_queue: queue } of schedulers) {
    assert.equal("collections" in own, kind === "normal", kind);
    assert.equal("voluntary_switches" in own, !kind.endsWith("_queue"), kind);
    assert.equal(queue === null, !["normal", "dirty_cpu_queue", "dirty_io_queue"].includes(kind), kind);
  }
}

/** An event that cannot be counted has a reason and no figure. @param {any} printed */
function isKnownOrHasReason({ counters, hardware, unknown, ended_threads: ended, began_threads: began }) {
  for (const name of OF_EVENTS) {
    if (counters[name] === null) assert.match(unknown[name], /\w/, name);
    else {
      assert.equal(unknown[name], undefined, name);
      assert.equal(counters[name].at_least, ended > 0 || began > 0, name);
    }
  }
  assert.equal(
    hardware === null,
    OF_HARDWARE.every((name) => counters[name] === null),
  );
  if (hardware === null) return;
  const { cycles, instructions } = counters;
  const isKnown = cycles !== null && instructions !== null && cycles.total > 0;
  assert.equal(hardware.instructions_per_cycle, isKnown ? instructions.total / cycles.total : null);
  assert.ok(hardware.counted_pct > 0 && hardware.counted_pct <= 100, JSON.stringify(hardware));
}

/** What the VM reports, and the kernel of its OS process. @param {import("../vms/vm.mjs").RunningVm} vm @returns {Promise<Record<string, number>>} */
async function reported(vm) {
  const { statistics } = await vm.report();
  return { ...statistics, ...ofKernel(vm.pid) };
}

/** @param {number} pid @returns {Record<string, number>} */
function ofKernel(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The first is field 3.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const field = (/** @type {number} */ number) => Number(fields[number - 3]);
  const counts = {
    cpu_ms: (field(14) + field(15)) * TICK_MS,
    minor_faults: field(10),
    major_faults: field(12),
    voluntary_switches: 0,
    involuntary_switches: 0,
    processor_wait_ms: 0,
  };
  for (const tid of readdirSync(`/proc/${pid}/task`)) {
    const status = readFileSync(`/proc/${pid}/task/${tid}/status`, "utf8");
    const line = (/** @type {string} */ name) => Number(new RegExp(`^${name}:\\s*(\\d+)$`, "m").exec(status)?.[1]);
    counts.voluntary_switches += line("voluntary_ctxt_switches");
    counts.involuntary_switches += line("nonvoluntary_ctxt_switches");
    const [, waited] = readFileSync(`/proc/${pid}/task/${tid}/schedstat`, "utf8").split(" ");
    counts.processor_wait_ms += Number(waited) / 1e6;
  }
  return counts;
}

/** Whole ones. @param {Times} times @param {string} name */
const difference = ({ before, after }, name) => Math.floor((after[name] ?? 0) - (before[name] ?? 0));

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

test("several runs have a mean and a spread; a time or an interval that is none is refused", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("27"), ...NOW_AND_THEN });
  t.after(() => vm.kill());
  const { counters } = await helperJson(["stat", vm.pid, "-d", 0.2, "-r", 3]);
  const { per_second: rate, spread } = counters.minor_faults;
  assert.ok(rate >= 0 && spread >= 0, JSON.stringify(counters));
  assert.equal(typeof spread, "number");
  const once = await helperJson(["stat", vm.pid, "-d", 0.2]);
  assert.equal(once.counters.minor_faults.spread, null, "one run has none");
  const { stdout } = await runHelper(["stat", vm.pid, "-d", 0.2, "-r", 2]);
  assert.match(stdout, /^ +counted +a second +standard deviation$/m);
  assert.match(stdout, /^CPU time, ms +\d+ +[\d.]+ +± [\d.]+$/m);
  assert.match(stdout, /^\d+ readings in [\d.]+ s$/m);
  const each = await runHelper(["stat", vm.pid, "-d", 0.2, "--per-scheduler"]);
  assert.match(each.stdout, /^scheduler +collections +words reclaimed +reductions .* run queue$/m);
  assert.match(each.stdout, /^1 +\d+ +\d+ +\d+ .* \d+\.\d$/m);
  for (const wrong of [
    ["-d=-1"],
    ["-d", "soon"],
    ["-I", 0],
    ["-I", 99],
    ["-r", 0],
    ["-d", 0, "-r", 2],
    ["-I", 100, "-r", 2],
  ])
    assert.equal((await runHelper(["stat", vm.pid, ...wrong])).code, 2, wrong.join(" "));
  assertRefused(await runHelper(["stat", process.pid, "-d", 1]), 3);
});

test("a halted VM counts nothing, and that is stated", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), ...NOW_AND_THEN });
  t.after(() => letGo(vm.pid));
  t.after(() => vm.kill());
  await holdWhole(vm.pid);
  const { stdout, stderr } = await runHelper(["stat", vm.pid, "-d", 0.5]);
  assert.match(stdout, /^the VM was halted at (\d+) of \1 readings: it counts nothing then$/m);
  assert.match(stdout, /^reductions +0 +0\.0$/m);
  assert.match(stderr, /is halted: a signal has stopped it/);
});

test("of a VM that ends, what it counted until then is shown", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), ...NOW_AND_THEN });
  t.after(() => vm.kill());
  const ended = await runHelper(["stat", vm.pid, "-d", 0], {
    wrapper: ["env", "EXTROSPECT_PROGRESS=1"],
    onStart: (child) => child.stderr?.on("data", (text) => String(text).includes("reading 3,") && vm.kill()),
  });
  assert.equal(ended.code, 5, ended.stderr);
  assert.match(ended.stderr, /has ended/);
  assert.match(ended.stdout, /^reductions +\d+ +[\d.]+$/m);
  assert.match(ended.stdout, /^\d+ readings in [\d.]+ s$/m);
});
