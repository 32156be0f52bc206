// Where the processor time of a sample goes, besides the delay of its thread: the program in the kernel by the kernel's
// own count, and the threads of the helper by their processor time.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

const KERNEL_COUNTS = "/proc/sys/kernel/bpf_stats_enabled";

/** The parts of the helper by the names of its threads; the others are in `other`. */
const PART_OF_THREAD = { collector: "reading", extrospect: "resolving", "code-watch": "watching" };

/**
 * Microseconds of processor time per sample.
 * @typedef {object} SampleCosts
 * @property {number | null} program    the program in the kernel, with its copy of the stack; null where the kernel does not count it
 * @property {number} reading           emptying the rings
 * @property {number} resolving         naming the frames, and writing the capture
 * @property {number} watching          following the VM's code
 * @property {number} other             the other threads that sample
 * @property {number} serving           the process that converses with the editor
 *
 * @typedef {{runs: number, ns: number}} ProgramRuns
 * @typedef {{vmNs: number, serveNs: number, threadsNs: Record<string, number>, program: ProgramRuns | undefined}} Reading
 */

/**
 * Of a recording with engine `bpf` that runs.
 * @param {{serve: number, vm: number, hz: number, seconds: number}} wanted   process ids of `serve` and of the VM
 * @returns {Promise<SampleCosts>}
 */
export async function sampleCosts({ serve, vm, hz, seconds }) {
  const sampler = childOf(serve);
  const before = readFileSync(KERNEL_COUNTS, "utf8");
  const isCounted = tryTo(() => writeFileSync(KERNEL_COUNTS, "1"));
  try {
    const begun = readingOf({ serve, vm, sampler });
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return costsBetween(begun, readingOf({ serve, vm, sampler }), hz);
  } finally {
    if (isCounted) writeFileSync(KERNEL_COUNTS, before);
  }
}

/** @param {Reading} begun @param {Reading} ended @param {number} hz @returns {SampleCosts} */
export function costsBetween(begun, ended, hz) {
  const runs = (ended.program?.runs ?? 0) - (begun.program?.runs ?? 0);
  const samples = runs > 0 ? runs : (hz * (ended.vmNs - begun.vmNs)) / 1e9;
  const micros = (/** @type {number} */ ns) => ns / 1000 / samples;
  const parts = { reading: 0, resolving: 0, watching: 0, other: 0 };
  for (const [name, ns] of Object.entries(ended.threadsNs)) {
    const part = /** @type {Record<string, keyof typeof parts>} */ (PART_OF_THREAD)[name] ?? "other";
    parts[part] += micros(ns - (begun.threadsNs[name] ?? 0));
  }
  const program = runs > 0 ? micros((ended.program?.ns ?? 0) - (begun.program?.ns ?? 0)) : null;
  return { program, ...parts, serving: micros(ended.serveNs - begun.serveNs) };
}

/** @param {{serve: number, vm: number, sampler: number}} pids @returns {Reading} */
function readingOf({ serve, vm, sampler }) {
  const sumOf = (/** @type {Record<string, number>} */ threads) => Object.values(threads).reduce((a, b) => a + b, 0);
  return {
    vmNs: sumOf(threadsOf(vm)),
    serveNs: sumOf(threadsOf(serve)),
    threadsNs: threadsOf(sampler),
    program: programOf(sampler),
  };
}

/** Processor time by the names of a process's threads, nanoseconds. @param {number} pid */
function threadsOf(pid) {
  /** @type {Record<string, number>} */
  const times = {};
  for (const tid of readdirSync(`/proc/${pid}/task`)) {
    const name = readFileSync(`/proc/${pid}/task/${tid}/comm`, "utf8").trim();
    const [ns] = readFileSync(`/proc/${pid}/task/${tid}/schedstat`, "utf8").split(" ");
    times[name] = (times[name] ?? 0) + Number(ns);
  }
  return times;
}

/** The runs of the program that a process has loaded. @param {number} pid */
function programOf(pid) {
  const texts = readdirSync(`/proc/${pid}/fdinfo`).map((fd) => {
    let text = "";
    tryTo(() => (text = readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8")));
    return text;
  });
  return texts.map(programRuns).find((runs) => runs !== undefined);
}

/** Of the kernel's description of a descriptor; undefined where it is no program's. @param {string} fdinfo @returns {ProgramRuns | undefined} */
export function programRuns(fdinfo) {
  const field = (/** @type {string} */ name) => new RegExp(`^${name}:\\s*(\\d+)$`, "m").exec(fdinfo)?.[1];
  const [ns, runs] = [field("run_time_ns"), field("run_cnt")];
  return field("prog_type") === undefined || runs === undefined ? undefined : { runs: Number(runs), ns: Number(ns) };
}

/** The process that samples for `serve`. @param {number} serve */
function childOf(serve) {
  const tasks = readdirSync(`/proc/${serve}/task`);
  const children = tasks.flatMap((tid) =>
    readFileSync(`/proc/${serve}/task/${tid}/children`, "utf8").trim().split(" "),
  );
  const [child] = children.filter((pid) => pid !== "");
  if (child === undefined) throw new Error("serve has no process that samples");
  return Number(child);
}

/** Whether it succeeds. @param {() => unknown} work */
function tryTo(work) {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
