// Waiting for asynchronous work: nearly everything in an editor.
import assert from "node:assert/strict";
import { PATIENCE_MS } from "../scripts/patience.mjs";

export { PATIENCE_MS };
const LOOK_MS = 50;

/**
 * Looks again and again until the check no longer throws and its answer is neither undefined nor false.
 * @template T
 * @param {string} what   for the message
 * @param {() => T | Promise<T>} check
 * @param {number} [patienceMs]
 * @returns {Promise<Exclude<T, undefined | false | null>>}
 */
export async function until(what, check, patienceMs = PATIENCE_MS) {
  const deadline = performance.now() + patienceMs;
  /** @type {unknown} */
  let last;
  for (;;) {
    try {
      last = await check();
      if (last !== undefined && last !== false && last !== null)
        return /** @type {Exclude<T, undefined | false | null>} */ (last);
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline)
      assert.fail(
        `${what}: not within ${String(patienceMs)} ms; last: ${last instanceof Error ? last.message : String(last)}`,
      );
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
