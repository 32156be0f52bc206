// Failed files once more, one after the other on a machine that does nothing else. A file that passes then is unstable:
// load or chance decided, and the run reports it.

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
