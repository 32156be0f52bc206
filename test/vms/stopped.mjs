// A look at a VM that is stopped: nothing in it moves during the look, whatever else the machine does.
import { readdirSync, readFileSync } from "node:fs";
import { until } from "../until.mjs";
import { hold, letGo } from "./held.mjs";

/**
 * @template Answer
 * @param {number} pid
 * @param {() => Answer | Promise<Answer>} look
 * @returns {Promise<Answer>}
 */
export async function whileStopped(pid, look) {
  hold(pid);
  try {
    await until("all of its threads are stopped", () => statesOf(pid).every((state) => state === "T"));
    return await look();
  } finally {
    letGo(pid);
  }
}

/** The state of each thread, a letter as in `/proc/PID/stat`. @param {number} pid */
function statesOf(pid) {
  return readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .slice(0, 1),
  );
}

/**
 * Processes of the VM's own may run at any time, so that not every look is one at a VM at rest. The number of looks is
 * limited, not their time.
 * @param {import("node:test").TestContext} t @param {number} times @param {() => Promise<void>} look
 */
export async function oneOf(t, times, look) {
  for (let left = times - 1; ; left--) {
    try {
      return await look();
    } catch (error) {
      if (left === 0) throw error;
      t.diagnostic(`looked again: ${/** @type {Error} */ (error).message.replaceAll("\n", " ").slice(0, 200)}`);
    }
  }
}
