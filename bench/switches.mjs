// The price of a switch: work that a processor loses each time a thread of the VM leaves it for a wait and comes back,
// while blocked time is recorded or counters are read. One process waits in a NIF some thousand times a second, another
// one works on the same processor (test/vms/src/bench_switches.erl). Of the profiler, only threads that it binds to that
// processor run there. Windows with and without it alternate, and each is compared with those beside it.
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import { join } from "node:path";
import { HELPER } from "../test/e2e/helper.mjs";
import { runErl } from "../test/vms/vm.mjs";
import { mustRun } from "./measured-command.mjs";
import { helperBuilt, perfInstalled } from "./profilers.mjs";
import { summary } from "./stats.mjs";

/** Attaching before a window, and writing after it. */
const EDGE_S = 1;
/** The napper's scheduler, and the worker's. */
const TWO_SCHEDULERS = ["+S", "2:2"];

/** @typedef {{naps: number, units: number, us: number}} Counts   of the VM so far */
/** @typedef {{units: number, naps: number}} Rates   for each microsecond */

/** The recordings and counters of which one is on during a window. @returns {{name: string, command: (pid: number, seconds: number, folder: string) => string[]}[]} */
function counted() {
  const ours = [
    {
      name: "extrospect record --event off-cpu",
      command: (/** @type {number} */ pid, /** @type {number} */ seconds, /** @type {string} */ folder) => [
        ...[HELPER, "record", `${pid}`, "--force", "-d", `${seconds}`, "--engine", "bpf", "--event", "off-cpu"],
        ...["--max-overhead", "off", "-o", join(folder, "switches.pb.gz")],
      ],
    },
    {
      name: "extrospect stat",
      command: (/** @type {number} */ pid, /** @type {number} */ seconds) => [
        ...[HELPER, "stat", `${pid}`, "-d", `${seconds}`],
      ],
    },
  ];
  const perf = {
    name: "perf stat",
    command: (/** @type {number} */ pid, /** @type {number} */ seconds) => [
      ...["perf", "stat", "-p", `${pid}`, "--", "sleep", `${seconds}`],
    ],
  };
  const nothing = {
    name: "nothing (noise)",
    command: (/** @type {number} */ _, /** @type {number} */ seconds) => ["sleep", `${seconds}`],
  };
  return [nothing, ...(helperBuilt ? ours : []), ...(perfInstalled ? [perf] : [])];
}

/**
 * @param {object} wanted
 * @param {import("../test/vms/otp.mjs").OtpInstallation} wanted.otp
 * @param {number} wanted.rounds
 * @param {number} wanted.seconds   of a window
 * @param {string} wanted.folder
 * @param {(text: string) => void} wanted.progress
 * @returns {Promise<Record<string, import("./stats.mjs").Summary>>} microseconds for each wait, out and in, by what ran beside it; and the waits a second
 */
export async function priceOfSwitch({ otp, rounds, seconds, folder, progress }) {
  const last = cpus().length - 1;
  if (last === 0) throw new Error("the price of a switch takes a second processor");
  const vm = await runErl({ otp, module: "bench_switches", emulatorFlags: TWO_SCHEDULERS });
  /** @type {Map<string, number[]>} */
  const prices = new Map(counted().map(({ name }) => [name, []]));
  /** @type {number[]} */
  const rates = [];
  try {
    execFileSync("taskset", ["-a", "-c", "-p", `${last}`, `${vm.pid}`], { stdio: "ignore" });
    const window = () => ratesIn(vm, seconds);
    let before = await window();
    for (let round = 0; round < rounds; round++) {
      for (const { name, command } of counted()) {
        const whole = mustRun(["taskset", "-c", `0-${last - 1}`, ...command(vm.pid, seconds + 2 * EDGE_S, folder)]);
        await pause(EDGE_S);
        const during = await window();
        await whole;
        const after = await window();
        prices.get(name)?.push(priceOf(before, during, after));
        rates.push(after.naps * 1e6);
        before = after;
      }
      progress(`price of a switch, round ${round + 1} of ${rounds}`);
    }
  } finally {
    await vm.stop();
  }
  return {
    ...Object.fromEntries([...prices].map(([name, values]) => [name, summary(values)])),
    "waits a second": summary(rates),
  };
}

/** The share of the work that is lost, for each wait, microseconds. @param {Rates} before @param {Rates} during @param {Rates} after */
export const priceOf = (before, during, after) => (1 - (2 * during.units) / (before.units + after.units)) / during.naps;

/** @param {import("../test/vms/vm.mjs").RunningVm} vm @param {number} seconds @returns {Promise<Rates>} */
async function ratesIn(vm, seconds) {
  const from = /** @type {Counts} */ (await vm.report());
  await pause(seconds);
  const to = /** @type {Counts} */ (await vm.report());
  const us = to.us - from.us;
  return { units: (to.units - from.units) / us, naps: (to.naps - from.naps) / us };
}

/** @param {number} seconds */
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
