// The figures of one VM, compared with the knowledge of the VM and its program.
import { checkerOf } from "../accuracy/legality.mjs";
import { EXACT } from "../accuracy/workloads.mjs";
import { countIndex } from "../pprof-reader.mjs";

/**
 * Of the samples in a process, percent. `readv` marks stacks that changed before they were read; `bpf` has the stack of
 * the sample itself.
 */
export const LEAST_COMPLETE = { bpf: 95, readv: 85 };
/** So few are no share. */
const FEW_SAMPLES = 30;
/** Memory of a process at rest may differ by this from the VM's own number, percent. */
export const MOST_MEMORY_ERROR = 1;

/**
 * @typedef {object} Report   the report of gt_matrix
 * @property {number} processes
 * @property {{pid: string, memory: number}[]} resting
 *
 * @typedef {object} Seen   the helper's output; a failed command has `problem` and nothing else
 * @property {any} recorded   JSON of `record`, or {problem}
 * @property {import("../pprof-reader.mjs").Profile | null} profile
 * @property {any} ps         JSON of `ps`, or {problem}
 * @property {Report[]} reports   the VM's own, from before and after
 *
 * @typedef {object} Cell   of the page
 * @property {string} text
 * @property {boolean} fails
 *
 * @typedef {object} Figures
 * @property {Cell} attach
 * @property {Cell} samples
 * @property {Cell} complete
 * @property {Cell} wrong
 * @property {Cell} processes
 * @property {Cell} memory
 */

/** @param {string} text @param {boolean} [fails] @returns {Cell} */
const cell = (text, fails = false) => ({ text, fails });
const NOTHING = cell("");

/** @param {Seen} seen @returns {Figures} */
export function judged({ recorded, profile, ps, reports }) {
  return { ...judgedCapture(recorded, profile), ...judgedProcesses(ps, reports) };
}

/** @param {any} recorded @param {import("../pprof-reader.mjs").Profile | null} profile */
function judgedCapture(recorded, profile) {
  if (recorded.problem !== undefined)
    return { attach: cell(`no: ${recorded.problem}`, true), samples: NOTHING, complete: NOTHING, wrong: NOTHING };
  const { attach_ms: ms, quality } = recorded;
  const engine = quality.engine.name;
  const { erlang, native_in_process: native } = quality;
  const [inProcess, complete] = [erlang.samples + native.samples, erlang.complete + native.complete];
  const percent = (100 * complete) / inProcess;
  const lost = quality.lost > 0 ? `, ${quality.lost} lost` : "";
  const userOnly = quality.kernel?.sampled === false ? ", user code only" : "";
  return {
    attach: cell(
      `${Math.round(ms)} ms, ${engine}${engine === "readv" && quality.engine.reason ? ` (${quality.engine.reason})` : ""}${userOnly}`,
    ),
    samples: cell(`${quality.samples}${lost}`, inProcess < FEW_SAMPLES),
    complete:
      inProcess === 0
        ? cell("no samples in a process", true)
        : cell(percent.toFixed(1), percent < LEAST_COMPLETE[/** @type {"bpf" | "readv"} */ (engine)]),
    wrong: profile === null ? cell("the capture does not open", true) : judgedFrames(profile),
  };
}

/** @param {import("../pprof-reader.mjs").Profile} profile */
function judgedFrames(profile) {
  const checker = checkerOf(EXACT.rules);
  const index = countIndex(profile);
  let checked = 0;
  /** @type {Map<string, number>} */
  const reasons = new Map();
  for (const sample of profile.samples) {
    const { relevant, wrong } = checker.check(sample);
    const samples = sample.values[index] ?? 0;
    if (relevant) checked += samples;
    if (wrong !== null) reasons.set(wrong, (reasons.get(wrong) ?? 0) + samples);
  }
  const wrong = [...reasons.values()].reduce((sum, samples) => sum + samples, 0);
  if (checked === 0) return cell("none could be checked", true);
  return cell(`${wrong} of ${checked}${wrong > 0 ? `: ${[...reasons.keys()].join("; ")}` : ""}`, wrong > 0);
}

/** @param {any} ps @param {Report[]} reports */
function judgedProcesses(ps, reports) {
  if (ps.problem !== undefined) return { processes: cell(`no: ${ps.problem}`, true), memory: NOTHING };
  const counts = reports.map((report) => report.processes);
  const count = ps.processes.length;
  // One that ends or starts between the VM's two answers may or may not be seen.
  const isRight = counts.length > 0 && Math.min(...counts) <= count && count <= Math.max(...counts);
  const shown = new Map(ps.processes.map((/** @type {any} */ one) => [one.pid, one.memory]));
  const resting = reports.at(-1)?.resting ?? [];
  const errors = resting.map(({ pid, memory }) => (100 * Math.abs((shown.get(pid) ?? 0) - memory)) / memory);
  const equal = errors.filter((error) => error <= MOST_MEMORY_ERROR).length;
  return {
    processes: cell(isRight ? `${count}` : `${count}, the VM ${[...new Set(counts)].join(" and ")}`, !isRight),
    memory: cell(`${equal} of ${resting.length}`, resting.length === 0 || equal < resting.length),
  };
}

/** The reason in the output of a failed command. @param {string} output */
export function reasonIn(output) {
  const lines = output.split("\n").map((line) => line.trim());
  return (
    lines.find((line) => line.startsWith("extrospect:")) ??
    lines.findLast((line) => line !== "") ??
    "it printed nothing"
  ).replace(/^extrospect: */, "");
}
