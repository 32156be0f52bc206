// How much slower a target gets while it is sampled, in pairs of windows of less than a second: one VM, one attached
// session of `serve`, neither of which is started anew. The VM has one scheduler on a processor of its own, and publishes
// its work with the processor time of that thread (test/vms/src/bench_counted.erl), so the time of other programs is in
// no rate, and a window begins and ends with a whole unit.
//
// The pairs of all profilers alternate, so that the pairs of nothing with nothing are of the same minutes. Attaching,
// starting and stopping lie outside the windows.
import { execFileSync, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from "node:fs";
import { once } from "node:events";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { RpcClient } from "../test/e2e/rpc-client.mjs";
import { runErl } from "../test/vms/vm.mjs";
import { NOTHING, differenceOf, isEnough, orderOfFour, pairedText, randomFrom, ratioOf } from "./pairs.mjs";
import { helperAt, helperBuilt, perfAt, perfInstalled } from "./profilers.mjs";
import { sampleCosts } from "./sample-costs.mjs";

const WINDOW_MS = 750;
/** From a switch to the next window. */
const SETTLES_MS = 200;
const HZ = 997;
/** One scheduler of each kind: nothing else of the VM competes for its processor. */
const ONE_SCHEDULER = ["+S", "1:1", "+SDcpu", "1:1", "+SDio", "1"];
const ORDERS_SEED = 20;
/** Half of what `perf` writes for a sample without a stack. */
const LEAST_SAMPLE_BYTES = 20;

/**
 * @typedef {object} Switched   a profiler of a running VM
 * @property {string} name
 * @property {number} hz         samples per second of processor time
 * @property {number} most       differences
 * @property {() => Promise<unknown>} on
 * @property {() => Promise<unknown>} off
 *
 * @typedef {{units: number, cpuNs: number, wallNs: number}} Entry   of the shared file: work so far, and both clocks at its end
 * @typedef {import("./pairs.mjs").Paired} Paired
 * @typedef {{stock: Record<string, Paired>, framePointers: Record<string, Paired>, parts: import("./sample-costs.mjs").SampleCosts | null}} Slowdown
 */

/**
 * @param {object} wanted
 * @param {import("../test/vms/otp.mjs").OtpInstallation} wanted.otp
 * @param {{claimed: number, compared: number}} wanted.most   differences, of four windows each, of a profiler of which a figure is wanted, and of the others
 * @param {number} wanted.seconds   of the recording from which the parts are taken
 * @param {string} wanted.folder
 * @param {(text: string) => void} wanted.progress
 * @returns {Promise<Slowdown>}
 */
export async function slowdown({ otp, most, seconds, folder, progress }) {
  refuseHiddenInterrupts(readFileSync("/proc/stat", "utf8"));
  const stock = await ofPinnedVm(otp, [], async (pid, work, closing) => {
    const profilers = [nothing(most.claimed)];
    const session = helperBuilt ? await attachedSession(pid, folder) : undefined;
    if (session !== undefined) {
      closing.push(session.close);
      profilers.push(session.switched(99, "bpf", most.claimed), session.switched(HZ, "bpf", most.claimed));
      profilers.push(session.switched(99, "readv", most.compared), session.switched(HZ, "readv", most.compared));
    }
    if (perfInstalled) {
      profilers.push(await switchedPerf(pid, HZ, "none", most.claimed, closing));
      for (const hz of [99, HZ]) profilers.push(await switchedPerf(pid, hz, "dwarf", most.compared, closing));
    }
    const profiled = await ratiosOf(profilers, work, progress);
    return { profiled, parts: session === undefined ? null : await partsOf(session, pid, seconds) };
  });
  const framePointers = perfInstalled
    ? await ofPinnedVm(otp, ["+JPperf", "true"], async (pid, work, closing) => {
        const profilers = [];
        for (const hz of [99, HZ]) profilers.push(await switchedPerf(pid, hz, "fp", most.compared, closing));
        return ratiosOf(profilers, work, progress);
      })
    : {};
  return { stock: stock.profiled, framePointers, parts: stock.parts };
}

/**
 * Runs the VM that publishes its work on the last processor, with one scheduler of each kind.
 * @template T
 * @param {import("../test/vms/otp.mjs").OtpInstallation} otp @param {string[]} flags
 * @param {(pid: number, work: number, closing: (() => unknown)[]) => Promise<T>} measure   with the shared file, and a list of ends, which may return a fault
 * @returns {Promise<T>}
 */
async function ofPinnedVm(otp, flags, measure) {
  const shared = `/tmp/extrospect-bench-${process.pid}`;
  const vm = await runErl({
    otp,
    module: "bench_counted",
    args: [shared],
    emulatorFlags: [...ONE_SCHEDULER, ...flags],
  });
  const path = `/proc/${vm.pid}/root${shared}`;
  const work = openSync(path, "r");
  rmSync(path);
  /** @type {(() => unknown)[]} */
  const closing = [];
  /** @type {unknown[]} */
  const ends = [];
  let measured;
  try {
    execFileSync("taskset", ["-a", "-c", "-p", String(cpus().length - 1), String(vm.pid)], { stdio: "ignore" });
    measured = await measure(vm.pid, work, closing);
  } finally {
    for (const close of closing) ends.push(await close());
    closeSync(work);
    await vm.stop();
  }
  const fault = ends.find((end) => typeof end === "string");
  if (fault !== undefined) throw new Error(fault);
  return measured;
}

/** @typedef {{perCpuSecond: number[], perSecond: number[]}} Differences   of the logarithms of both rates */

/**
 * Rounds in which each profiler that still needs it has four windows.
 * @param {Switched[]} profilers @param {number} work @param {(text: string) => void} progress
 * @returns {Promise<Record<string, Paired>>}
 */
async function ratiosOf(profilers, work, progress) {
  const random = randomFrom(ORDERS_SEED);
  /** @type {Map<string, Differences>} */
  const all = new Map(profilers.map(({ name }) => [name, { perCpuSecond: [], perSecond: [] }]));
  const of = (/** @type {Switched} */ { name }) => /** @type {Differences} */ (all.get(name));
  await pause(10 * WINDOW_MS); // caches, heaps and clocks settle
  for (;;) {
    const open = profilers.filter((profiler) => !isEnough(of(profiler).perCpuSecond, profiler.most));
    if (open.length === 0) break;
    for (const profiler of open) {
      const windows = await fourWindows(profiler, orderOfFour(random), work);
      for (const rate of /** @type {const} */ (["perCpuSecond", "perSecond"]))
        of(profiler)[rate].push(differenceOf(windows.map((each) => ({ isOn: each.isOn, rate: each[rate] }))));
    }
    for (const profiler of open) {
      const { perCpuSecond } = of(profiler);
      if (perCpuSecond.length % 10 === 0) progress(`${profiler.name}: ${pairedText(ratioOf(perCpuSecond))}`);
    }
  }
  return Object.fromEntries(
    profilers.map((profiler) => {
      const { perCpuSecond, perSecond } = of(profiler);
      return [profiler.name, { hz: profiler.hz, perCpuSecond: ratioOf(perCpuSecond), perSecond: ratioOf(perSecond) }];
    }),
  );
}

/** The control: nothing is compared with nothing, with the same pauses. @param {number} most @returns {Switched} */
function nothing(most) {
  return { name: NOTHING, hz: 0, most, on: async () => {}, off: async () => {} };
}

/** @param {Switched} profiler @param {boolean[]} order @param {number} work */
async function fourWindows(profiler, order, work) {
  const windows = [];
  let wasOn = false;
  for (const isOn of order) {
    if (isOn !== wasOn) await switchTo(profiler, isOn);
    wasOn = isOn;
    const begun = entryIn(work);
    await pause(WINDOW_MS);
    windows.push({ isOn, ...ratesBetween(begun, entryIn(work)) });
  }
  if (wasOn) await switchTo(profiler, false);
  return windows;
}

/** @param {Switched} profiler @param {boolean} isOn */
async function switchTo(profiler, isOn) {
  await (isOn ? profiler.on() : profiler.off());
  await pause(SETTLES_MS);
}

/** @param {Entry} begun @param {Entry} ended */
export function ratesBetween(begun, ended) {
  const units = ended.units - begun.units;
  if (units < 100) throw new Error(`a window has ${units} units of work: too few`);
  return {
    perCpuSecond: (1e9 * units) / (ended.cpuNs - begun.cpuNs),
    perSecond: (1e9 * units) / (ended.wallNs - begun.wallNs),
  };
}

/** The newest whole entry. @param {number} file @returns {Entry} */
function entryIn(file) {
  const bytes = Buffer.alloc(32);
  for (let tries = 0; tries < 1000; tries++) {
    readSync(file, bytes, 0, bytes.length, 0);
    const entry = entryOf(bytes);
    if (entry !== undefined) return entry;
  }
  throw new Error("the VM publishes no work");
}

/** Undefined while it is written. @param {Buffer} bytes @returns {Entry | undefined} */
export function entryOf(bytes) {
  const [units = 0, cpuNs = 0, wallNs = 0, begun = 0] = [0, 8, 16, 24].map((at) => Number(bytes.readBigUInt64LE(at)));
  return units > 0 && units === begun ? { units, cpuNs, wallNs } : undefined;
}

/**
 * A kernel that keeps interrupts out of the processor time of the interrupted thread would keep the samples out, too.
 * @param {string} stat   /proc/stat
 */
export function refuseHiddenInterrupts(stat) {
  const [, irq = "0"] = /^cpu +(?:\d+ ){5}(\d+)/m.exec(stat) ?? [];
  if (irq !== "0")
    throw new Error(
      "this kernel (CONFIG_IRQ_TIME_ACCOUNTING) leaves interrupts out of a thread's processor time: work per processor second would not show the cost of samples",
    );
}

/** A conversation with a helper that is attached. @param {number} pid @param {string} folder */
async function attachedSession(pid, folder) {
  const rpc = new RpcClient();
  await rpc.initialize();
  const { attachmentId } = await rpc.request("extrospect/attach", { pid });
  let captures = 0;
  /** @param {number} hz @param {"bpf" | "readv"} engine @param {number} most @returns {Switched} */
  const switched = (hz, engine, most) => {
    let captureId = 0;
    let file = "";
    return {
      name: helperAt(hz, engine).name,
      hz,
      most,
      on: async () => {
        file = join(folder, `pairs-${captures++}.pb.gz`);
        const start = { attachmentId, frequencyHz: hz, durationSeconds: 0, engine, file };
        ({ captureId } = await rpc.request("extrospect/capture/start", start));
      },
      off: async () => {
        const { quality, problem } = await rpc.request("extrospect/capture/stop", { captureId });
        rpc.notifications.length = 0;
        rmSync(file);
        // A profiler that samples nothing must not pass for one that costs nothing.
        if (problem !== null || !(quality.samples > 0)) throw new Error(`no samples: ${JSON.stringify(problem)}`);
        return quality;
      },
    };
  };
  return { pid: rpc.child.pid ?? 0, switched, close: () => rpc.shutdown() };
}

/**
 * `perf record` of the process, whose events are switched through a pipe.
 * @param {number} pid @param {number} hz @param {"none" | "dwarf" | "fp"} stacks @param {number} most
 * @param {(() => unknown)[]} closing
 * @returns {Promise<Switched>}
 */
async function switchedPerf(pid, hz, stacks, most, closing) {
  const { name } = perfAt(hz, stacks);
  const folder = mkdtempSync(join(tmpdir(), "extrospect-perf-"));
  const [control, answers] = [join(folder, "control"), join(folder, "answers")];
  execFileSync("mkfifo", [control, answers]);
  const graph = stacks === "none" ? [] : ["--call-graph", stacks];
  const events = ["-e", "cpu-clock", "-F", `${hz}`, ...graph, "-D", "-1", "--control", `fifo:${control},${answers}`];
  // Copied stacks are megabytes a second: they go to no disk.
  const perf = spawn("perf", ["record", "-q", ...events, "-p", `${pid}`, "-o", "-"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let bytes = 0;
  perf.stdout.on("data", (chunk) => (bytes += chunk.length));
  const ended = once(perf, "close");
  // Open for both ways, so that opening waits for no other end; the reader waits for an answer in a program of its own.
  const [orders, replies] = [openSync(control, "r+"), openSync(answers, "r+")];
  const reader = spawn("cat", [], { stdio: [replies, "pipe", "ignore"] });
  const { stdout: answered } = reader;
  if (answered === null) throw new Error("the output of cat is not read");
  /** @param {string} order */
  const request = async (order) => {
    writeSync(orders, `${order}\n`);
    const [answer] = await Promise.race([once(answered, "data"), ended]);
    if (!String(answer).startsWith("ack")) throw new Error(`perf does not ${order}: ${answer}`);
  };
  let [bytesBefore, onSeconds, onSince] = [0, 0, 0];
  closing.push(async () => {
    perf.kill("SIGINT");
    await ended;
    reader.kill();
    closeSync(orders);
    closeSync(replies);
    rmSync(folder, { recursive: true });
    // A profiler that samples nothing must not pass for one that costs nothing.
    const written = bytes - bytesBefore;
    return written < LEAST_SAMPLE_BYTES * hz * onSeconds
      ? `${name} has written ${written} bytes in ${onSeconds.toFixed(1)} s: too few samples`
      : undefined;
  });
  return {
    name,
    hz,
    most,
    on: async () => {
      if (onSeconds === 0) bytesBefore = bytes;
      await request("enable");
      onSince = performance.now();
    },
    off: async () => {
      await request("disable");
      onSeconds += (performance.now() - onSince) / 1000;
    },
  };
}

/**
 * Where the microseconds of a sample go, from one longer recording.
 * @param {Awaited<ReturnType<typeof attachedSession>>} session @param {number} vmPid @param {number} seconds
 */
async function partsOf(session, vmPid, seconds) {
  const profiler = session.switched(HZ, "bpf", 0);
  await profiler.on();
  try {
    await pause(2 * SETTLES_MS);
    return await sampleCosts({ serve: session.pid, vm: vmPid, hz: HZ, seconds });
  } finally {
    await profiler.off();
  }
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
