// What test runners say about how many tests passed, read from their output.

/**
 * @typedef {{passed: number, failed: number}} TestCounts
 */

/**
 * @param {string} output   stdout and stderr of `cargo test`
 * @param {number} exitCode
 * @returns {TestCounts} a test program that reports nothing counts as one failure
 */
export function cargoCounts(output, exitCode) {
  const counts = { passed: 0, failed: 0 };
  let results = 0;
  for (const match of output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed;/gm)) {
    results += 1;
    counts.passed += Number(match[1]);
    counts.failed += Number(match[2]);
  }
  const programs = [...output.matchAll(/^ +(Running (unittests )?\S+ \(|Doc-tests )/gm)].length;
  counts.failed += Math.max(0, programs - results);
  return withExitCode(counts, exitCode);
}

/**
 * @param {string} tap   what node's TAP reporter wrote
 * @param {number} exitCode
 * @returns {TestCounts}
 */
export function nodeCounts(tap, exitCode) {
  // The summary is at the end; the output of a test could look like one.
  const last = (/** @type {string} */ name) => Number([...tap.matchAll(new RegExp(`^# ${name} (\\d+)$`, "gm"))].at(-1)?.[1] ?? 0);
  return withExitCode({ passed: last("pass"), failed: last("fail") + last("cancelled") }, exitCode);
}

/**
 * A runner that ran nothing, or failed without a failed test, crashed.
 * @param {TestCounts} counts
 * @param {number} exitCode
 * @returns {TestCounts}
 */
function withExitCode({ passed, failed }, exitCode) {
  const crashed = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: crashed ? 1 : failed };
}

/** @param {TestCounts[]} all */
export function sum(all) {
  return all.reduce((a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed }), { passed: 0, failed: 0 });
}
