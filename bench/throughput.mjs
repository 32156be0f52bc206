// How much slower a VM gets while another program reads it each second. One VM runs all the time; windows with
// and without that program alternate, and each window with it is compared with the mean of the
// two windows without on either side, so that slow drifts of the machine cancel out. (The slowdown by sampling needs
// finer windows: slowdown.mjs.)
//
// Two measures: work per second, which includes the whole cost of profiling on this machine, with the profiler's own
// share of the CPUs; and work per second of the target's processor time, which includes only the effect of profiling on
// the target itself and varies little with other load on this machine.
import { runErl } from "../test/vms/vm.mjs";
import { mustRun } from "./measured-command.mjs";
import { summary } from "./stats.mjs";

/** Enough for two schedulers. */
const WORKERS = 4;
/** Left out at each end of a window: attaching, writing the file out. */
const EDGE_MS = 1_000;

/**
 * @typedef {{units: number, ms: number, cpu_ms: number}} Progress   of the VM so far: work done, at which time, in how much processor time
 * @typedef {{perSecond: number, perCpuSecond: number}} WorkRates
 * @typedef {{perSecond: import("./stats.mjs").Summary, perCpuSecond: import("./stats.mjs").Summary}} Slowdown   each with / without the profiler
 */

/**
 * @param {object} wanted
 * @param {import("../test/vms/otp.mjs").OtpInstallation} wanted.otp
 * @param {import("./profilers.mjs").Profiler[]} wanted.profilers
 * @param {number} wanted.rounds
 * @param {number} wanted.windowSeconds
 * @param {number} [wanted.resting]   processes that do nothing beside those that work
 * @param {string} wanted.folder
 * @param {(text: string) => void} wanted.progress
 * @returns {Promise<Record<string, Slowdown>>} by profiler
 */
export async function slowdowns({ otp, profilers, rounds, windowSeconds, resting = 0, folder, progress }) {
  /** @type {{at: number, done: Progress}[]} */
  const lines = [];
  const vm = await runErl({
    otp,
    module: "bench_load",
    args: [WORKERS, resting],
    emulatorFlags: ["+S", "2:2"],
    onLine: (line) => lines.push({ at: performance.now(), done: line }),
  });
  /** @param {() => Promise<unknown>} during */
  const ratesDuring = async (during) => {
    const start = performance.now();
    await during();
    const end = performance.now();
    return ratesOf(lines.filter(({ at }) => at >= start + EDGE_MS && at <= end - EDGE_MS / 2).map(({ done }) => done));
  };
  const pause = () => new Promise((resolve) => setTimeout(resolve, windowSeconds * 1000));
  /** @type {Map<string, WorkRates[]>} */
  const ratios = new Map(profilers.map(({ name }) => [name, []]));
  try {
    await pause(); // caches, heaps and clocks settle
    let before = await ratesDuring(pause);
    for (let round = 0; round < rounds; round++) {
      // Each round in another order, so that no profiler always follows the same one.
      const first = round % profilers.length;
      for (const profiler of [...profilers.slice(first), ...profilers.slice(0, first)]) {
        const during = await ratesDuring(
          () => profiler.during?.(vm, windowSeconds) ?? mustRun(profiler.command(vm.pid, windowSeconds, folder)),
        );
        const after = await ratesDuring(pause);
        ratios.get(profiler.name)?.push({
          perSecond: (2 * during.perSecond) / (before.perSecond + after.perSecond),
          perCpuSecond: (2 * during.perCpuSecond) / (before.perCpuSecond + after.perCpuSecond),
        });
        before = after;
      }
      progress(`slowdown, round ${round + 1} of ${rounds}`);
    }
  } finally {
    await vm.stop();
  }
  return Object.fromEntries(
    [...ratios].map(([name, values]) => [
      name,
      {
        perSecond: summary(values.map((ratio) => ratio.perSecond)),
        perCpuSecond: summary(values.map((ratio) => ratio.perCpuSecond)),
      },
    ]),
  );
}

/**
 * @param {Progress[]} progress   in order
 * @returns {WorkRates}
 */
export function ratesOf(progress) {
  const [first, last] = [progress[0], progress.at(-1)];
  if (first === undefined || last === undefined || last.ms <= first.ms || last.cpu_ms <= first.cpu_ms) {
    throw new Error("a window was too short to be measured");
  }
  const units = last.units - first.units;
  return {
    perSecond: (1000 * units) / (last.ms - first.ms),
    perCpuSecond: (1000 * units) / (last.cpu_ms - first.cpu_ms),
  };
}

/** The noise of the method itself: nothing is compared with nothing.
 * @returns {import("./profilers.mjs").Profiler} */
export function nothing() {
  return { name: "nothing (noise)", command: (_, seconds) => ["sleep", `${seconds}`] };
}
