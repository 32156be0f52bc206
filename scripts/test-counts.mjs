// The numbers of passed tests, read from the output of test runners.
import { nodeSkips, withReasons } from "./test-skips.mjs";

/**
 * @typedef {{passed: number, failed: number}} TestCounts
 */

/**
 * @param {string} output   of one test program of Rust; it may hold no test at all
 * @param {number} exitCode
 * @returns {TestCounts}
 */
export function rustCounts(output, exitCode) {
  const [, passed, failed] = [...output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed;/gm)].at(-1) ?? [];
  if (passed === undefined) return { passed: 0, failed: 1 };
  return { passed: Number(passed), failed: Number(failed) || (exitCode === 0 ? 0 : 1) };
}

/**
 * @param {string} tap   the output of node's TAP reporter
 * @param {number} exitCode
 * @returns {TestCounts}
 */
export function nodeCounts(tap, exitCode) {
  // The summary is at the end; the output of a test could look like one.
  const last = (/** @type {string} */ name) =>
    Number([...tap.matchAll(new RegExp(`^# ${name} (\\d+)$`, "gm"))].at(-1)?.[1] ?? 0);
  const counts = { passed: last("pass"), failed: last("fail") + last("cancelled") };
  // A file that ran nothing, or failed without a failed test, has crashed, unless all of its tests are skipped for a
  // reason. So has one that ended before Node's summary.
  const isCut = !/^# tests \d+$/m.test(tap);
  const ranNothing = isCut || (counts.passed === 0 && !withReasons(nodeSkips(tap)));
  const hasCrashed = counts.failed === 0 && (exitCode !== 0 || ranNothing);
  return hasCrashed ? { ...counts, failed: 1 } : counts;
}

/** @param {TestCounts[]} all */
export function sum(all) {
  return all.reduce((a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed }), { passed: 0, failed: 0 });
}
