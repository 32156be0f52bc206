// When a start is given up: at once, during it, and after its answer, however long this machine takes.
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds after the request; null when it is answered. */
const MOMENTS_MS = [0, 1, 3, 6, 10, 15, 22, 32, 45, 65, 90, 130, 200, 300, null];

/**
 * Goes through the moments.
 * @template T
 * @param {() => Promise<Promise<T>[]>} begin               requests a start; its answer, in a list so that it is not awaited
 * @param {(answer: Promise<T>, when: string) => Promise<void>} giveUp   and inspects the remains
 */
export async function atEachMoment(begin, giveUp) {
  for (const ms of MOMENTS_MS) {
    const [answer] = /** @type {[Promise<T>]} */ (await begin());
    await (ms === null ? answer : sleep(ms));
    await giveUp(answer, ms === null ? "after its answer" : `after ${ms} ms`);
  }
}
