// How long attaching takes on a program of real size: RabbitMQ under load.
import { join } from "node:path";
import { startRabbitmq, startRabbitmqLoad } from "../test/vms/rabbitmq.mjs";
import { mustRun } from "./measured-command.mjs";
import { helperAt } from "./profilers.mjs";
import { summary } from "./stats.mjs";

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
    for (let round = 0; round < rounds; round++) {
      const run = await mustRun(helperAt(99).command(broker.pid, 1, join(folder)), { keepOutput: true });
      const { attach_ms: took } = JSON.parse(run.stdout);
      if (typeof took !== "number") throw new Error("record --json does not say attach_ms");
      attachMs.push(took);
    }
    const rates = load.lines.map((line) => line.msgs_per_s);
    await load.stop();
    return { attach_ms: summary(attachMs), msgs_per_s: summary(rates) };
  } finally {
    await broker.stop();
  }
}
