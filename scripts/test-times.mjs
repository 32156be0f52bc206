// The end of `npm test`: the slowest files, and the time of each group and lane.
import { sum } from "./test-counts.mjs";

const SLOWEST = 10;

/**
 * @typedef {object} FileTimes
 * @property {string} group
 * @property {string} lane
 * @property {string} file               path from the root
 * @property {number} seconds
 * @property {number} [ownSeconds]       of a file that shared its process with others: the same as its seconds
 * @property {number} cpuSeconds         of all its processes, those that were killed among them; of a shared process all
 *                                       of it is the first file's
 * @property {import("./test-counts.mjs").TestCounts} counts
 */

/**
 * @param {FileTimes[]} files
 * @returns {string[]} lines
 */
export function timesTable(files) {
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  const rows = slowest.map(({ file, seconds, ownSeconds, cpuSeconds }) => {
    const isShared = ownSeconds !== undefined;
    return `${column(seconds)} ${isShared ? "shared".padStart(8) : column(cpuSeconds)}  ${file}`;
  });
  const groups = [...new Set(files.map(({ group }) => group))].map((group) => {
    const own = files.filter((one) => one.group === group);
    const counts = sum(own.map(({ counts: of }) => of));
    const { seconds, cpuSeconds } = total(own);
    return `${column(seconds)} ${column(cpuSeconds)}  ${group}: ${own.length} files, ${counts.passed} passed, ${counts.failed} failed`;
  });
  const lanes = Object.entries(laneTimes(files)).map(
    ([lane, { seconds, cpuSeconds }]) => `${column(seconds)} ${column(cpuSeconds)}  lane ${lane}`,
  );
  return [`${"seconds".padStart(8)} ${"CPU".padStart(8)}`, ...rows, "", ...groups, "", ...lanes];
}

/** @param {FileTimes[]} files @returns {Record<string, {seconds: number, cpuSeconds: number}>} by lane */
export function laneTimes(files) {
  const lanes = [...new Set(files.map(({ lane }) => lane))];
  return Object.fromEntries(lanes.map((name) => [name, total(files.filter(({ lane }) => lane === name))]));
}

/** @param {FileTimes[]} files */
function total(files) {
  const of = (/** @type {"seconds" | "cpuSeconds"} */ which) =>
    Math.round(10 * files.reduce((all, one) => all + one[which], 0)) / 10;
  return { seconds: of("seconds"), cpuSeconds: of("cpuSeconds") };
}

/** @param {number} seconds */
const column = (seconds) => seconds.toFixed(1).padStart(8);
