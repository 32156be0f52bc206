// Waiting for asynchronous work: nearly everything in an editor. No wait has a limit of its own, so that a busy machine
// makes a test slow and not red. The runner ends a file that takes too long; the file then lists its open waits.
import assert from "node:assert/strict";
import { onEndingSignal } from "../scripts/ending-signals.mjs";
import { LONGEST_FILE_MS, PATIENCE_MS as NIGHT_PATIENCE_MS } from "../scripts/patience.mjs";
import { isNightly } from "./nightly.mjs";

/** Seconds for each wait: for developers, who want to see at once which one does not end. */
const DEVELOPERS_SECONDS = Number(process.env["EXTROSPECT_PATIENCE_SECONDS"] ?? NaN);
/** By night a step that hangs leaves time for the steps after it. */
const OWN_LIMIT_MS = DEVELOPERS_SECONDS > 0 ? DEVELOPERS_SECONDS * 1_000 : isNightly ? NIGHT_PATIENCE_MS : Infinity;
/** For programs that need some limit. */
export const PATIENCE_MS = Math.min(OWN_LIMIT_MS, LONGEST_FILE_MS);
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 200;
/** A look may cost as much as the work that is waited for, so that they become rarer as the wait becomes longer. */
const pauseMs = (/** @type {number} */ waitedMs) => Math.min(Math.max(FIRST_PAUSE_MS, waitedMs / 10), LONGEST_PAUSE_MS);

/** The waits that have not ended. @type {Set<{what: string, beganMs: number, looks: number, lookBeganMs: number, last: unknown}>} */
const open = new Set();
const IS_TEST = /(\.test|\/shared-tests-program)\.mjs$/.test(process.argv[1] ?? "");
// VMs, editors and accounts end with the `exit` of the process, and so when the run is interrupted. Playwright has listeners,
// too; a program with its own ends in its own way.
onEndingSignal((code, signal) => {
  if (IS_TEST || process.listenerCount(signal) === 1) process.exit(code);
});
process.on("exit", () => process.stderr.write(openWaits()));

/** A line for each wait that has not ended. */
export const openWaits = () =>
  [...open]
    .map(({ what, beganMs, looks, lookBeganMs, last }) => {
      const look = `look ${looks} began ${secondsSince(lookBeganMs)} s ago`;
      return `open wait: ${what}, for ${secondsSince(beganMs)} s; ${look}; last: ${text(last)}\n`;
    })
    .join("");

/** @param {number} ms   as `performance.now()` */
const secondsSince = (ms) => Math.round((performance.now() - ms) / 1000);

/** @param {unknown} last */
const text = (last) => (last instanceof Error ? last.message : String(last));

/**
 * Looks again and again until the check no longer throws and its answer is neither undefined nor false.
 * @template T
 * @param {string} what   for the message
 * @param {() => T | Promise<T>} check
 * @param {number} [patienceMs]   a limit of its own: for night files, and inside a loop that tries again
 * @returns {Promise<Exclude<T, undefined | false | null>>}
 */
export async function until(what, check, patienceMs = OWN_LIMIT_MS) {
  const beganMs = performance.now();
  const wait = { what, beganMs, looks: 0, lookBeganMs: beganMs, last: /** @type {unknown} */ (undefined) };
  open.add(wait);
  try {
    for (;;) {
      wait.looks += 1;
      wait.lookBeganMs = performance.now();
      try {
        const answer = await check();
        wait.last = answer;
        if (answer !== undefined && answer !== false && answer !== null)
          return /** @type {Exclude<T, undefined | false | null>} */ (answer);
      } catch (error) {
        wait.last = error;
      }
      // eslint-disable-next-line gate/measured-time -- the limit of the caller
      if (performance.now() - beganMs > patienceMs)
        assert.fail(`${what}: not within ${String(patienceMs)} ms; last: ${text(wait.last)}`);
      // eslint-disable-next-line gate/fixed-wait -- the pause between two looks
      await new Promise((resolve) => setTimeout(resolve, pauseMs(performance.now() - beganMs)));
    }
  } finally {
    open.delete(wait);
  }
}

/**
 * As `until`, but an error of the look is no part of the wait: it ends it. For looks that fail only by a fault.
 * @template T
 * @param {string} what   for the message
 * @param {() => T | Promise<T>} look   undefined, false or null: to be taken again
 * @returns {Promise<Exclude<T, undefined | false | null>>}
 */
export async function untilAnswered(what, look) {
  /** @type {Error[]} */
  const failures = [];
  const answer = await until(what, async () => {
    try {
      return await look();
    } catch (error) {
      failures.push(/** @type {Error} */ (error));
      return /** @type {any} */ (true);
    }
  });
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  return answer;
}
