// What the workbench may lose is tried again: a key pressed too early, a click on a row that is drawn anew.
import { until } from "../until.mjs";

const FIRST_MS = 3_000;
const LONGEST_MS = 120_000;

/**
 * Tries again and again until it works. Each try gets twice the patience of the one before: on a busy machine the
 * step that just worked would otherwise be undone by the next try, again and again.
 * @template T
 * @param {string} what   for the message
 * @param {(patienceMs: number) => T | Promise<T>} attempt   throws, or gives undefined or false, when it did not work
 * @param {number} [firstMs]
 */
export function tried(what, attempt, firstMs = FIRST_MS) {
  let patienceMs = firstMs / 2;
  return until(what, () => {
    patienceMs = Math.max(firstMs, Math.min(2 * patienceMs, LONGEST_MS));
    return attempt(patienceMs);
  });
}

/** Whether it comes to be within that time. @param {Promise<unknown>} wait that ends in time @returns {Promise<boolean>} */
export const worked = (wait) =>
  wait.then(
    () => true,
    () => false,
  );
