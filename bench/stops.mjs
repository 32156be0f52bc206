// For how long a sample stops the thread it is taken of: a NIF reads the processor's clock all the time and lists each
// gap. The gaps that sampling adds to those of an unobserved VM, divided by the samples, are the stop of one sample. An
// interrupt that copies nothing costs time, too: that is the floor for every profiler.
import { runErl } from "../test/vms/vm.mjs";
import { runMeasured } from "./measured-command.mjs";
import { helperAt, helperBuilt, perfAt, perfInstalled } from "./profilers.mjs";
import { median, summary } from "./stats.mjs";

/** A longer gap is another program's turn on the CPU, and no stop of a sample. */
const LONGEST_STOP_NS = 60_000;
/** Left out at each end: attaching, writing the file out. */
const EDGE_MS = 1_000;

/** @returns {import("./profilers.mjs").Profiler[]} */
function profilers() {
  const hz = 997;
  return [
    ...(perfInstalled ? [perfAt(hz, "none"), perfAt(hz, "dwarf,4096")] : []),
    ...(helperBuilt ? [helperAt(hz, "bpf"), helperAt(hz, "readv")] : []),
  ];
}

/**
 * @param {object} wanted
 * @param {import("../test/vms/otp.mjs").OtpInstallation} wanted.otp
 * @param {number} wanted.rounds
 * @param {number} wanted.seconds
 * @param {string} wanted.folder
 * @param {(text: string) => void} wanted.progress
 * @returns {Promise<Record<string, import("./stats.mjs").Summary>>} microseconds a sample stops its thread, by profiler
 */
export async function stopsOfSamples({ otp, rounds, seconds, folder, progress }) {
  const vm = await runErl({ otp, module: "bench_stops", emulatorFlags: ["+S", "2:2"] });
  /** @param {Promise<unknown> | null} running */
  const window = async (running) => {
    await pause(EDGE_MS);
    await vm.report();
    await pause(seconds * 1000 - 2 * EDGE_MS);
    const { watched_ns: watchedNs, stops_ns: stopsNs } = await vm.report();
    await running;
    return stopsIn(watchedNs, stopsNs);
  };
  /** @type {Record<string, number[]>} */
  const micros = {};
  try {
    for (let round = 0; round < rounds; round++) {
      for (const profiler of profilers()) {
        const without = await window(null);
        const run = runMeasured(profiler.command(vm.pid, seconds, folder));
        const during = await window(run);
        const { code, stderr } = await run;
        if (code !== 0) throw new Error(`${profiler.name} failed (${code}): ${stderr.trim().slice(-500)}`);
        (micros[profiler.name] ??= []).push(
          (1e6 * (during.stoppedShare - without.stoppedShare)) / (during.perSecond - without.perSecond),
        );
      }
      progress(`stops of samples, round ${round + 1} of ${rounds}`);
    }
  } finally {
    await vm.stop();
  }
  return Object.fromEntries(Object.entries(micros).map(([name, values]) => [name, summary(values)]));
}

/**
 * @param {number} watchedNs
 * @param {number[]} stopsNs
 */
export function stopsIn(watchedNs, stopsNs) {
  const short = stopsNs.filter((ns) => ns <= LONGEST_STOP_NS);
  // The thread's own time: that of other programs is left out.
  const ownNs = watchedNs - stopsNs.filter((ns) => ns > LONGEST_STOP_NS).reduce((a, b) => a + b, 0);
  const stoppedNs = short.reduce((a, b) => a + b, 0);
  return { perSecond: (short.length * 1e9) / ownNs, stoppedShare: stoppedNs / ownNs, medianUs: median(short) / 1000 };
}

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
