// What a table of all processes costs, once a second: read from outside, and asked for in the VM as its own tools do.
import { HELPER } from "../test/e2e/helper.mjs";
import { runErl } from "../test/vms/vm.mjs";
import { mustRun } from "./measured-command.mjs";
import { summary } from "./stats.mjs";
import { nothing, slowdowns } from "./throughput.mjs";

/** @typedef {{processes: number, slowdown: Record<string, import("./throughput.mjs").Slowdown>, snapshot: Record<string, import("./stats.mjs").Summary>}} InsideCost */

/** @param {() => Promise<unknown>} poll @param {number} seconds */
async function onceASecond(poll, seconds) {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const next = performance.now() + 1000;
    await poll();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, Math.min(next, end) - performance.now())));
  }
}

/** @type {import("./profilers.mjs").Profiler[]} */
const POLLS = [
  nothing(),
  {
    name: "extrospect ps each second",
    needsFramePointers: false,
    command: () => [],
    during: ({ pid }, seconds) => onceASecond(() => mustRun([HELPER, "ps", `${pid}`, "--json"]), seconds),
  },
  {
    name: "process_info in the VM each second",
    needsFramePointers: false,
    command: () => [],
    during: (vm, seconds) => onceASecond(() => vm.report(), seconds),
  },
];

/**
 * @param {object} wanted
 * @param {import("../test/vms/otp.mjs").OtpInstallation} wanted.otp
 * @param {number} wanted.processes
 * @param {number} wanted.rounds
 * @param {number} wanted.windowSeconds
 * @param {string} wanted.folder
 * @param {(text: string) => void} wanted.progress
 * @returns {Promise<InsideCost>}
 */
export async function insideCost({ processes, ...common }) {
  const snapshot = await snapshotCost(common.otp, processes, common.rounds);
  const slowdown = await slowdowns({ ...common, profilers: POLLS, framePointers: false, resting: processes });
  return { processes, snapshot, slowdown };
}

/** @param {import("../test/vms/otp.mjs").OtpInstallation} otp @param {number} processes @param {number} rounds */
async function snapshotCost(otp, processes, rounds) {
  const vm = await runErl({ otp, module: "bench_load", args: [0, processes] });
  /** @type {Record<"all_ms" | "all_cpu_ms" | "attaching_cpu_ms", number[]>} */
  const figures = { all_ms: [], all_cpu_ms: [], attaching_cpu_ms: [] };
  try {
    for (let round = 0; round < rounds; round++) {
      const start = performance.now();
      const all = await mustRun([HELPER, "ps", `${vm.pid}`, "--json"]);
      figures.all_ms.push(performance.now() - start);
      figures.all_cpu_ms.push(all.cpuSeconds * 1000);
      figures.attaching_cpu_ms.push((await mustRun([HELPER, "dump", `${vm.pid}`, "--what", "queues"])).cpuSeconds * 1000);
    }
  } finally {
    await vm.stop();
  }
  return Object.fromEntries(Object.entries(figures).map(([name, values]) => [name, summary(values)]));
}
