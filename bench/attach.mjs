// The cost of attaching: of a bare VM its processor time, and of a program of real size, RabbitMQ under load, its
// duration as well.
import { join } from "node:path";
import { HELPER } from "../test/e2e/helper.mjs";
import { startRabbitmq, startRabbitmqLoad } from "../test/vms/rabbitmq.mjs";
import { runErl } from "../test/vms/vm.mjs";
import { mustRun } from "./measured-command.mjs";
import { helperAt } from "./profilers.mjs";
import { summary } from "./stats.mjs";

/** Attaches, and looks at the small heap of `init`, which rests. Not `dump`: another process attaches before it. @param {number} pid */
export const attachingCommand = (pid) => [HELPER, "heap", `${pid}`, "<0.0.0>", "--json"];

/** @param {string[]} command */
async function cpuMsOf(command) {
  return (await mustRun(command)).cpuSeconds * 1000;
}

/**
 * Processor time of attaching, and of attaching and listing all processes.
 * @param {number} pid
 */
async function attachingCpuMs(pid) {
  return { cpu_ms: await cpuMsOf(attachingCommand(pid)), ps_cpu_ms: await cpuMsOf([HELPER, "ps", `${pid}`, "--json"]) };
}

/**
 * Of a VM that runs nothing, in turns.
 * @param {import("../test/vms/otp.mjs").OtpInstallation} otp
 * @param {number} rounds
 */
export async function attachOnBareVm(otp, rounds) {
  const vm = await runErl({ otp, module: "gt_idle" });
  try {
    const each = [];
    for (let round = 0; round < rounds; round++) each.push(await attachingCpuMs(vm.pid));
    return {
      bare_cpu_ms: summary(each.map((one) => one.cpu_ms)),
      bare_ps_cpu_ms: summary(each.map((one) => one.ps_cpu_ms)),
    };
  } finally {
    await vm.stop();
  }
}

/**
 * @param {import("../test/vms/otp.mjs").OtpInstallation} otp
 * @param {number} rounds
 * @param {string} folder
 */
export async function attachOnRabbitmq(otp, rounds, folder) {
  const broker = await startRabbitmq(otp);
  try {
    const load = await startRabbitmqLoad(otp, broker, { seconds: 20 + rounds * 5 });
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const attachMs = [];
    const each = [];
    for (let round = 0; round < rounds; round++) {
      const run = await mustRun(helperAt(99).command(broker.pid, 1, join(folder)), { keepOutput: true });
      const { attach_ms: took } = JSON.parse(run.stdout);
      if (typeof took !== "number") throw new Error("record --json does not say attach_ms");
      attachMs.push(took);
      each.push(await attachingCpuMs(broker.pid));
    }
    const rates = load.lines.map((line) => line.msgs_per_s);
    await load.stop();
    return {
      attach_ms: summary(attachMs),
      cpu_ms: summary(each.map((one) => one.cpu_ms)),
      ps_cpu_ms: summary(each.map((one) => one.ps_cpu_ms)),
      msgs_per_s: summary(rates),
    };
  } finally {
    await broker.stop();
  }
}
