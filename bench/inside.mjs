// The cost of a table of all processes, once a second: read from outside, and queried in the VM as its own tools do.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { HELPER } from "../test/e2e/helper.mjs";
import { RpcClient } from "../test/e2e/rpc-client.mjs";
import { runErl } from "../test/vms/vm.mjs";
import { attachingCommand } from "./attach.mjs";
import { mustRun } from "./measured-command.mjs";
import { summary } from "./stats.mjs";
import { nothing, slowdowns } from "./throughput.mjs";

/** @typedef {{processes: number, targetMs: Record<string, import("./stats.mjs").Summary>, slowdown: Record<string, import("./throughput.mjs").Slowdown>, snapshot: Record<string, import("./stats.mjs").Summary>}} InsideCost */

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
    command: () => [],
    during: ({ pid }, seconds) => onceASecond(() => mustRun([HELPER, "ps", `${pid}`, "--json"]), seconds),
  },
  {
    name: "process_info in the VM each second",
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
  const slowdown = await slowdowns({ ...common, profilers: POLLS, resting: processes });
  return {
    processes,
    snapshot,
    slowdown,
    targetMs: await targetCost(common.otp, processes, common.rounds, common.windowSeconds),
  };
}

/**
 * The tools, and the poll that each needs once a second.
 * @type {{name: string, tool: string, poll: "report" | "panel" | "ps" | "nothing"}[]}
 */
const TOOLS = [
  { name: "nothing", tool: "none", poll: "nothing" },
  { name: "extrospect, panel", tool: "none", poll: "panel" },
  { name: "extrospect ps", tool: "none", poll: "ps" },
  { name: "recon:proc_count/2", tool: "recon", poll: "report" },
  { name: "process_info/2 of each", tool: "process_info", poll: "report" },
  { name: "observer_cli, each 1.5 s", tool: "observer_cli", poll: "nothing" },
  { name: "etop", tool: "etop", poll: "nothing" },
];

/**
 * Processor time of a VM at rest in each second in which it is polled once, milliseconds.
 * @param {import("../test/vms/otp.mjs").OtpInstallation} otp @param {number} processes @param {number} rounds @param {number} seconds
 */
async function targetCost(otp, processes, rounds, seconds) {
  /** @type {Record<string, import("./stats.mjs").Summary>} */
  const costs = {};
  for (const { name, tool, poll } of TOOLS) {
    if (tool === "etop" && !hasEtop(otp)) {
      console.log("etop is not installed: apt-get install erlang-observer (the rest is measured without it)");
      continue;
    }
    const vm = await runErl({
      otp,
      module: "bench_polls",
      args: [processes, tool],
      emulatorFlags: ["+S", "2:2"],
      env: { ERL_LIBS: otp.rabbitmqPlugins ?? "" },
    });
    const panel = poll === "panel" ? await openPanel(vm.pid) : undefined;
    const once = async () => {
      if (poll === "report") await vm.report();
      if (poll === "ps") await mustRun([HELPER, "ps", `${vm.pid}`, "--json"]);
      await panel?.look();
    };
    try {
      await onceASecond(once, 3); // the loading and growth at the start
      const values = [];
      for (let round = 0; round < rounds; round++) {
        const before = cpuMs(vm.pid);
        await onceASecond(once, seconds);
        values.push((cpuMs(vm.pid) - before) / seconds);
      }
      costs[name] = summary(values);
    } finally {
      panel?.close();
      await vm.stop();
    }
  }
  return costs;
}

/** @param {import("../test/vms/otp.mjs").OtpInstallation} otp */
function hasEtop(otp) {
  const libraries = otp.hostPath("/usr/lib/erlang/lib");
  return readdirSync(libraries).some(
    (name) => name.startsWith("observer-") && existsSync(`${libraries}/${name}/ebin/etop.beam`),
  );
}

/** The queries of the process panel in the editor. @param {number} pid */
async function openPanel(pid) {
  const rpc = new RpcClient();
  await rpc.initialize();
  const { insideId } = await rpc.request("extrospect/inside/open", { pid });
  const query = {
    sort: "memory",
    descending: true,
    filter: "",
    grouping: "none",
    open: [],
    alarms: { mailbox: null, memory: null },
    onlyAlarming: false,
  };
  return {
    look: () => rpc.request("extrospect/inside/processes", { insideId, look: true, query, first: 0, limit: 60 }),
    close: () => rpc.child.kill(),
  };
}

/** Processor time of all threads of a process. @param {number} pid */
function cpuMs(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((tid) =>
    Number(readFileSync(`/proc/${pid}/task/${tid}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
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
      figures.attaching_cpu_ms.push((await mustRun(attachingCommand(vm.pid))).cpuSeconds * 1000);
    }
  } finally {
    await vm.stop();
  }
  return Object.fromEntries(Object.entries(figures).map(([name, values]) => [name, summary(values)]));
}
