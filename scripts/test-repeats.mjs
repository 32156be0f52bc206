// Failed files once more, one after the other on a machine that does nothing else. A file that passes then is unstable:
// load or chance decided, and the run reports it.
import { lastLines } from "./command.mjs";

/** More unstable files make the run red: the suite proves nothing then. */
export const MOST_UNSTABLE = 3;
/** Milliseconds that all repeats may begin in. A fault of the product fails again, so longer repeats add nothing. */
const BEGIN_WITHIN_MS = 4 * 60_000;

/**
 * @template {{counts: import("./test-counts.mjs").TestCounts}} Result
 * @param {Result[]} results   of each file
 * @param {(result: Result) => Promise<Result>} again
 * @param {{beginWithinMs?: number, nowMs?: () => number}} [options]
 * @returns {Promise<{last: Result[], unstable: {first: Result, second: Result}[]}>} `last`: the last run of each file
 */
export async function repeatFailed(
  results,
  again,
  { beginWithinMs = BEGIN_WITHIN_MS, nowMs = () => performance.now() } = {},
) {
  const untilMs = nowMs() + beginWithinMs;
  /** @type {Result[]} */
  const last = [];
  /** @type {{first: Result, second: Result}[]} */
  const unstable = [];
  for (const first of results) {
    const second = first.counts.failed > 0 && nowMs() < untilMs ? await again(first) : first;
    last.push(second);
    if (second !== first && second.counts.failed === 0) unstable.push({ first, second });
  }
  return { last, unstable };
}

/** Lines of each of the two outputs that the end of a run repeats; all of them are above, except those of a shared process. */
const LINES = 40;

/**
 * @param {{first: {file: string, failures: string[], output: string}, second: {file: string, counts: import("./test-counts.mjs").TestCounts, output: string}}} unstable
 * @returns {string} both outputs
 */
export function unstableText({ first, second }) {
  const failures = first.failures.length > 0 ? first.failures : ["it failed"];
  return [
    ...failures.map((failure) => `${first.file}: ${failure}`),
    lastLines(first.output, LINES),
    `${second.file}, alone: ${second.counts.passed} passed`,
    lastLines(second.output, LINES),
  ]
    .filter((text) => text !== "")
    .join("\n");
}
