// The cost of each test file, as `npm test` measured it or, before it did, as it was estimated:
// scripts/test-weights.json. A file without an entry has the default of its group; one that names less has the rest of
// it.
//   node scripts/test-weights.mjs     takes the figures of the last run of `npm test` over
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "./project.mjs";
import { TIMES_FILE } from "./test-times.mjs";

const WEIGHTS_FILE = join(ROOT, "scripts/test-weights.json");
/** Below it, an entry is not worth its line. */
const LEAST_SECONDS = 3;
/** A file that waits all the time still starts programs; one that fills more processors than this is a file like the others that do. */
const CPU_BETWEEN = [0.3, 2];

/**
 * @typedef {object} Entry
 * @property {number} [cpu]
 * @property {number} [seconds]
 * @property {string[]} [exclusive]
 *
 * @typedef {Entry & {leastCpu?: number}} GroupEntry
 *   `leastCpu`: the processors that each file of the group keeps busy at least, since most of it is in no figure:
 *   editors, browsers and VMs that are killed. Too many of them at a time keep each other waiting, and while they wait,
 *   they go on to capture and to draw.
 *
 * @typedef {object} Weights
 * @property {Record<string, GroupEntry>} groups   defaults by group
 * @property {Record<string, Entry>} files    by path from the root
 */

/** @type {import("./test-queue.mjs").Weight} */
const DEFAULT = { cpu: 1, seconds: 20, exclusive: [] };

/** @returns {Weights} */
export const readWeights = () => JSON.parse(readFileSync(WEIGHTS_FILE, "utf8"));

/**
 * @param {Weights} weights
 * @param {string} group
 * @param {string} file
 * @returns {import("./test-queue.mjs").Weight}
 */
export function weightOf({ groups, files }, group, file) {
  const { leastCpu = 0, ...defaults } = groups[group] ?? {};
  const weight = { ...DEFAULT, ...defaults, ...files[file] };
  return { ...weight, cpu: Math.max(weight.cpu, leastCpu) };
}

/**
 * The weights with the results of a run; `exclusive` stays. Short files have no entry, nor do files that no longer
 * exist.
 * @param {Weights} weights
 * @param {{group: string, file: string, seconds: number, cpuSeconds: number | null}[]} measured
 * @returns {Weights}
 */
export function withMeasured({ groups, files }, measured) {
  const [least = 0, most = 0] = CPU_BETWEEN;
  const entries = measured.flatMap(({ file, seconds, cpuSeconds }) => {
    const { exclusive, cpu: before = DEFAULT.cpu } = files[file] ?? {};
    const cpu = cpuSeconds === null ? before : Math.min(Math.max(cpuSeconds / seconds, least), most);
    /** @type {Entry} */
    const entry = { cpu: Number(cpu.toFixed(1)), seconds: Math.round(seconds), ...(exclusive && { exclusive }) };
    return seconds >= LEAST_SECONDS || exclusive !== undefined ? [/** @type {[string, Entry]} */ ([file, entry])] : [];
  });
  return { groups, files: Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** An entry a line. @param {Weights} weights */
function asText({ groups, files }) {
  const lines = (/** @type {Record<string, Entry>} */ entries) =>
    Object.entries(entries).map(([name, entry]) => `    ${JSON.stringify(name)}: ${lineOf(entry)}`);
  return `{\n  "groups": {\n${lines(groups).join(",\n")}\n  },\n  "files": {\n${lines(files).join(",\n")}\n  }\n}\n`;
}

/** @param {GroupEntry} entry */
const lineOf = ({ leastCpu, cpu, seconds, exclusive }) => {
  const members = [
    leastCpu !== undefined && `"leastCpu": ${leastCpu}`,
    cpu !== undefined && `"cpu": ${cpu}`,
    seconds !== undefined && `"seconds": ${seconds}`,
    exclusive && `"exclusive": [${exclusive.map((name) => JSON.stringify(name)).join(", ")}]`,
  ];
  return `{ ${members.filter(Boolean).join(", ")} }`;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { files } = JSON.parse(readFileSync(TIMES_FILE, "utf8"));
  writeFileSync(WEIGHTS_FILE, asText(withMeasured(readWeights(), files)));
}
