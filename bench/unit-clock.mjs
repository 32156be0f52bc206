// The processor time of a unit of work by the kernel's clock, without a capture: what the comparisons of captures are
// judged by.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { boundToThis } from "../scripts/bound-process.mjs";
import { ratioOf } from "./pairs.mjs";

/** The first units cost more than the later ones: loading, heaps that grow. */
const WARM_UP_MS = 1_000;
const LOOK_MS = 1;

/**
 * Microseconds of processor time that a benchmark of docs/ci takes for a unit of its work, in a VM of its own.
 * @param {{start: string, folder: string, seconds: number}} wanted   a shell's command that becomes the VM, and the folder it runs in
 */
export async function unitMicros({ start, folder, seconds }) {
  const counter = join(folder, "unit-clock");
  rmSync(counter, { force: true });
  const [command = "", ...args] = [...boundToThis("KILL"), "sh", "-c", start];
  const vm = spawn(command, args, {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, WORK_COUNTER: counter },
  });
  const { pid } = vm;
  if (pid === undefined) throw new Error(`does not start: ${start}`);
  const look = async () => {
    if (vm.exitCode !== null || vm.signalCode !== null) throw new Error(`has ended: ${start}`);
    await later(LOOK_MS);
  };
  const units = () => Number(readFileSync(counter, "utf8"));
  /** When the next unit is done: a part of a unit is never counted. */
  const edge = async () => {
    const before = units();
    while (units() === before) await look();
    return { units: units(), cpuNs: cpuNsOf(pid) };
  };
  try {
    while (!existsSync(counter)) await look();
    await later(WARM_UP_MS);
    const first = await edge();
    await later(seconds * 1_000);
    const last = await edge();
    return (last.cpuNs - first.cpuNs) / (last.units - first.units) / 1_000;
  } finally {
    vm.kill("SIGKILL");
  }
}

/** What the threads of a process have run. @param {number} pid */
function cpuNsOf(pid) {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).reduce(
    (sum, task) => sum + Number(readFileSync(join(tasks, task, "schedstat"), "utf8").split(" ")[0]),
    0,
  );
}

/**
 * How much more a unit takes on the other side, by runs in pairs, which take turns.
 * @param {{start: string, base: string, head: string, pairs: number, seconds: number}} wanted   folders of both sides
 */
export async function clockedChange({ start, base, head, pairs, seconds }) {
  const differences = [];
  for (let pair = 0; pair < pairs; pair++) {
    /** @type {Record<string, number>} */
    const micros = {};
    for (const folder of pair % 2 === 0 ? [base, head] : [head, base])
      micros[folder] = await unitMicros({ start, folder, seconds });
    differences.push(Math.log((micros[head] ?? NaN) / (micros[base] ?? NaN)));
  }
  const { ratio, halfWidth } = ratioOf(differences);
  return { changePct: (ratio - 1) * 100, halfWidthPct: halfWidth * 100 };
}
