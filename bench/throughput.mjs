// How much slower the target gets while it is profiled. One VM runs all the time; phases with
// and without a profiler alternate, and each phase with one is compared with the mean of the
// two phases without on either side, so that slow drifts of the machine cancel out.
import { runErl } from "../test/vms/vm.mjs";
import { mustRun } from "./measured-command.mjs";
import { median, summary } from "./stats.mjs";

/** Left out at each end of a phase: attaching, writing the file out. */
const EDGE_MS = 1_000;

/**
 * @param {object} wanted
 * @param {import("../test/vms/otp.mjs").OtpInstallation} wanted.otp
 * @param {import("./profilers.mjs").Profiler[]} wanted.profilers
 * @param {boolean} wanted.framePointers
 * @param {number} wanted.rounds
 * @param {number} wanted.phaseSeconds
 * @param {string} wanted.folder
 * @param {(text: string) => void} wanted.progress
 * @returns {Promise<Record<string, import("./stats.mjs").Summary>>} throughput with / without, by profiler
 */
export async function throughputRatios({ otp, profilers, framePointers, rounds, phaseSeconds, folder, progress }) {
  /** @type {{at: number, rate: number}[]} */
  const ticks = [];
  const vm = await runErl({
    otp,
    module: "bench_load",
    emulatorFlags: ["+S", "2:2", ...(framePointers ? ["+JPperf", "true"] : [])],
    onLine: (line) => ticks.push({ at: performance.now(), rate: line.units_per_s }),
  });
  /** @param {() => Promise<unknown>} during */
  const phase = async (during) => {
    const start = performance.now();
    await during();
    const end = performance.now();
    // A tick tells of the half second before it.
    const rates = ticks.filter(({ at }) => at >= start + EDGE_MS + 500 && at <= end - EDGE_MS / 2).map(({ rate }) => rate);
    if (rates.length === 0) throw new Error("a phase was too short to be measured");
    return median(rates);
  };
  const pause = () => new Promise((resolve) => setTimeout(resolve, phaseSeconds * 1000));
  /** @type {Record<string, number[]>} */
  const ratios = Object.fromEntries(profilers.map(({ name }) => [name, []]));
  try {
    await pause(); // caches, heaps and clocks settle
    let before = await phase(pause);
    for (let round = 0; round < rounds; round++) {
      // Each round in another order, so that no profiler always follows the same one.
      const first = round % profilers.length;
      const order = [...profilers.slice(first), ...profilers.slice(0, first)];
      for (const profiler of order) {
        const during = await phase(() => mustRun(profiler.command(vm.pid, phaseSeconds, folder)));
        const after = await phase(pause);
        ratios[profiler.name]?.push(during / ((before + after) / 2));
        before = after;
      }
      progress(`throughput, round ${round + 1} of ${rounds}`);
    }
  } finally {
    await vm.stop();
  }
  return Object.fromEntries(Object.entries(ratios).map(([name, values]) => [name, summary(values)]));
}

/** What the method itself shows when nothing is compared with nothing: its noise.
 * @returns {import("./profilers.mjs").Profiler} */
export function nothing() {
  return { name: "nothing (noise)", needsFramePointers: false, command: (_, seconds) => ["sleep", `${seconds}`] };
}
