// VMs that a test stops while it compares them with what the helper reads, and other programs that it stops. A
// disturbance of the machine (test/chaos/disturbance.mjs) leaves a held one stopped, and does not stop a spared one.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { machineFolder } from "../machine-lock.mjs";

const HELD = join(machineFolder(), "extrospect-tests-held");

/** @param {number} pid */
const markOf = (pid) => join(HELD, String(pid));
/** @param {number} pid */
const spareMarkOf = (pid) => join(HELD, `${pid}.spared`);

/** When it was started, in ticks: the mark of a killed test is none of a later process with the same number. @param {number} pid */
const startOf = (pid) =>
  readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ")[19] ?? "";

/** @param {number} pid @returns {boolean} */
export const isHeld = (pid) => isMarked(pid, markOf(pid));

/** @param {number} pid @returns {boolean} */
export const isSpared = (pid) => isMarked(pid, spareMarkOf(pid));

/** @param {number} pid @param {string} mark @returns {boolean} */
function isMarked(pid, mark) {
  try {
    return readFileSync(mark, "utf8") === startOf(pid);
  } catch {
    return false;
  }
}

/**
 * From now on no disturbance stops it: for a VM in a state that does not outlive SIGCONT.
 * @param {import("node:test").TestContext} t @param {number} pid
 */
export function spare(t, pid) {
  mkdirSync(HELD, { recursive: true });
  writeFileSync(spareMarkOf(pid), startOf(pid));
  t.after(() => rmSync(spareMarkOf(pid), { force: true }));
}

/** Stops a VM, or another program. @param {number} pid */
export function hold(pid) {
  mkdirSync(HELD, { recursive: true });
  writeFileSync(markOf(pid), startOf(pid));
  process.kill(pid, "SIGSTOP");
}

/** Lets it go on, where it is still there. @param {number} pid */
export function letGo(pid) {
  rmSync(markOf(pid), { force: true });
  try {
    process.kill(pid, "SIGCONT");
  } catch {
    // It has ended.
  }
}
