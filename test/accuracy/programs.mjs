// Real programs: their true shares are unknown, but the proven part of them and the cost of sampling them can be
// measured.
import { join } from "node:path";
import { helperJson, sleep } from "../e2e/helper.mjs";
import { startDemo } from "../vms/demo.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { startRabbitmq, startRabbitmqLoad } from "../vms/rabbitmq.mjs";
import { runErl } from "../vms/vm.mjs";
import { engineOption } from "./engines.mjs";
import { summed } from "./quality-sums.mjs";
import { REAL_PROGRAMS } from "./real-programs.mjs";
import { rangeOf } from "./statistics.mjs";

/**
 * @typedef {(rate: number) => void} OnRate   called with units of work per second, now and then
 * @typedef {(otp: import("../vms/otp.mjs").OtpInstallation, onRate: OnRate) => Promise<{pid: number, stop: () => unknown} | null>} Start
 *   null when the installation has no such program
 * @typedef {{name: string, title: string, start: Start}} Program
 */

const SETTLES_MS = 3_000;
/** The attaching before a recording and the writing after it are in neither kind of phase. */
const PHASE_EDGE_MS = 1_000;

/** @type {Record<(typeof REAL_PROGRAMS)[number]["name"], Start>} */
const STARTS = {
  mixed: async (otp, onRate) => {
    const vm = await runErl({ otp, module: "bench_load", onLine: (line) => onRate(line.units_per_s) });
    return { pid: vm.pid, stop: () => vm.stop() };
  },
  demo: async (otp) => {
    const { pid, kill } = await startDemo(otp);
    return { pid, stop: kill };
  },
  rabbitmq: async (otp, onRate) => {
    if (otp.rabbitmqHome === null) return null;
    const broker = await startRabbitmq(otp);
    // The client runs where its libraries are folders: an old broker brings archives.
    const load = await startRabbitmqLoad(otp.rabbitmqPlugins === null ? await prepareOtp("25") : otp, broker, {
      seconds: 600,
    });
    const ticks = setInterval(() => {
      for (const line of load.lines.splice(0)) onRate(line.msgs_per_s);
    }, 50);
    const stop = async () => {
      clearInterval(ticks);
      load.kill();
      await broker.stop();
    };
    return { pid: broker.pid, stop };
  },
};

/** @type {Program[]} */
export const PROGRAMS = REAL_PROGRAMS.map((program) => ({ ...program, start: STARTS[program.name] }));

/**
 * @param {Program} program
 * @param {import("./workloads.mjs").Plan} plan
 * @returns {Promise<(ReturnType<typeof summed> & {overheadPercent: ReturnType<typeof rangeOf> | null}) | null>}
 */
export async function measureProgram(program, { release, engine, hz, seconds, recordings, gaps = false, folder }) {
  /** @type {{at: number, rate: number}[]} */
  const rates = [];
  const running = await program.start(await prepareOtp(release), (rate) => rates.push({ at: performance.now(), rate }));
  if (running === null) return null;
  /** @param {() => Promise<unknown>} during @returns {Promise<number>} work per second, NaN when the program does not say */
  const phase = async (during) => {
    const from = performance.now() + PHASE_EDGE_MS;
    await during();
    const to = performance.now() - PHASE_EDGE_MS / 2;
    const inside = rates.filter(({ at }) => from <= at && at <= to).map(({ rate }) => rate);
    return inside.reduce((a, b) => a + b, 0) / inside.length;
  };
  try {
    await sleep(SETTLES_MS);
    /** @type {any[]} */
    const qualities = [];
    const overheads = [];
    let before = gaps ? await phase(() => sleep(seconds * 1000)) : NaN;
    for (let number = 0; number < recordings; number++) {
      const file = join(folder, `${release}-${program.name}.pb.gz`);
      const during = await phase(async () => {
        const options = ["-d", seconds, "-F", hz, ...engineOption(engine)];
        qualities.push((await helperJson(["record", running.pid, ...options, "--force", "-o", file])).quality);
      });
      const after = gaps ? await phase(() => sleep(seconds * 1000)) : NaN;
      const overhead = 100 * (1 - during / ((before + after) / 2));
      if (Number.isFinite(overhead)) overheads.push(overhead);
      before = after;
    }
    return { ...summed(qualities), overheadPercent: overheads.length === 0 ? null : rangeOf(overheads) };
  } finally {
    await running.stop();
  }
}
