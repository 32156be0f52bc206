// How long each test file took and how much processor time: printed at the end of `npm test`, and written for other programs.
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "./project.mjs";
import { sum } from "./test-counts.mjs";

/** Git does not know it. */
export const TIMES_FILE = join(ROOT, ".cache/test-times.json");
/** Files that took less are in the sums of their groups only. */
const SHOWN_SECONDS = 5;

/**
 * @typedef {object} FileTimes
 * @property {string} group
 * @property {string} file                path from the root
 * @property {number} beganSeconds        after the start of the whole
 * @property {number} seconds
 * @property {number | null} cpuSeconds   of its process and all that it waited for; null when it died before it could count
 * @property {import("./test-counts.mjs").TestCounts} counts
 */

/**
 * One line for each file that took long, the longest first, and one for each group.
 * @param {FileTimes[]} files
 * @returns {string[]}
 */
export function timesTable(files) {
  const long = files.filter(({ seconds }) => seconds >= SHOWN_SECONDS).sort((a, b) => b.seconds - a.seconds);
  const rows = long.map(({ file, seconds, cpuSeconds }) => `${column(seconds)} ${column(cpuSeconds)}  ${file}`);
  const groups = [...new Set(files.map(({ group }) => group))].map((group) => {
    const own = files.filter((one) => one.group === group);
    const counts = sum(own.map(({ counts: of }) => of));
    const total = (/** @type {"seconds" | "cpuSeconds"} */ which) =>
      own.reduce((all, one) => all + (one[which] ?? 0), 0);
    return `${column(total("seconds"))} ${column(total("cpuSeconds"))}  ${group}: ${own.length} files, ${counts.passed} passed, ${counts.failed} failed`;
  });
  return [`${"seconds".padStart(8)} ${"CPU".padStart(8)}`, ...rows, "", ...groups];
}

/** @param {number | null} seconds */
const column = (seconds) => (seconds === null ? "?" : seconds.toFixed(1)).padStart(8);

/**
 * @param {FileTimes[]} files
 * @param {{seconds: number, cpuSeconds: number}} whole   of all that ran, set-up among it
 * @param {string} [path]
 */
export function writeTimes(files, whole, path = TIMES_FILE) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    `${JSON.stringify({ date: new Date().toISOString(), processors: availableParallelism(), ...whole, files }, null, 1)}\n`,
  );
}
