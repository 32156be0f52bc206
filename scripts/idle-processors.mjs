// How many processors of this machine had nothing to do of late.
import { cpus } from "node:os";

/** Shorter times show little: a test that began a moment ago has not begun to work. */
const LEAST_MS = 4_000;
/** Older looks are forgotten. */
const LONGEST_MS = 8_000;

/** @typedef {{atMs: number, idleMs: number}} Look   `idleMs`: of all processors, since the machine began */

/** @returns {Look} */
function lookNow() {
  return { atMs: performance.now(), idleMs: cpus().reduce((sum, { times }) => sum + times.idle, 0) };
}

/** Reads the state of the machine at each call, and compares it with earlier readings. */
export class IdleProcessors {
  /** @type {Look[]} */
  #looks = [];
  #look;

  /** @param {() => Look} [look] */
  constructor(look = lookNow) {
    this.#look = look;
  }

  /** Later readings are compared with this moment, for example since something begins now. */
  restart() {
    this.#looks = [this.#look()];
  }

  /** @returns {number} mean over the last seconds; 0 while it is not known */
  mean() {
    const now = this.#look();
    this.#looks.push(now);
    while ((this.#looks[1]?.atMs ?? now.atMs) <= now.atMs - LONGEST_MS) this.#looks.shift();
    const [first = now] = this.#looks;
    const passed = now.atMs - first.atMs;
    return passed < LEAST_MS ? 0 : (now.idleMs - first.idleMs) / passed;
  }
}
