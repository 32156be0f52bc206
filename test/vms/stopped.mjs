// A look at a VM that is stopped: nothing in it moves during the look, whatever else the machine does.
import { readdirSync, readFileSync } from "node:fs";
import { until, untilAnswered } from "../until.mjs";
import { hold, letGo } from "./held.mjs";

/**
 * @template Answer
 * @param {number} pid
 * @param {() => Answer | Promise<Answer>} look
 * @returns {Promise<Answer>}
 */
export async function whileStopped(pid, look) {
  try {
    await holdWhole(pid);
    return await look();
  } finally {
    letGo(pid);
  }
}

/** Stops a VM, and waits for each of its threads: a busy machine stops them one by one. @param {number} pid */
export async function holdWhole(pid) {
  hold(pid);
  await until("all of its threads are stopped", () => statesOf(pid).every((state) => state === "T"));
}

/** Waits for the end of a stop that something else began. @param {number} pid */
export const untilRuns = (pid) => until("none of its threads is stopped", () => !statesOf(pid).includes("T"));

/** The state of each thread, a letter as in `/proc/PID/stat`. @param {number} pid */
function statesOf(pid) {
  return readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .slice(0, 1),
  );
}

/**
 * Looks that fail at one place, after which that is a fault and not chance. It needs some end: of a value that is always
 * wrong, the limit of the file would not name the difference.
 */
const SAME_FAILURES = 30;

/**
 * Processes of the VM's own may run at any time, so that not every look is one at a VM at rest: looks until one is. A look
 * at a VM that moves fails now here, now there.
 * @template Answer
 * @param {import("node:test").TestContext} t @param {() => Promise<Answer>} look
 * @returns {Promise<Answer>}
 */
export async function oneOf(t, look) {
  /** By place: two places may fail by turns. @type {Map<string, number>} */
  const times = new Map();
  const { answer } = await untilAnswered("a look at a VM at rest", async () => {
    try {
      return { answer: await look() };
    } catch (error) {
      const { message, stack = "" } = /** @type {Error} */ (error);
      const place = /^ {4}at .*$/m.exec(stack)?.[0] ?? message;
      const seen = (times.get(place) ?? 0) + 1;
      times.set(place, seen);
      if (seen === SAME_FAILURES) throw error;
      t.diagnostic(`looked again: ${message.replaceAll("\n", " ").slice(0, 200)}`);
      return undefined;
    }
  });
  return answer;
}
