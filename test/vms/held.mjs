// VMs that a test stops while it compares them with what the helper reads. A disturbance of the machine
// (test/chaos/disturbance.mjs) leaves a held VM stopped.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const HELD = join(tmpdir(), "extrospect-tests-held");

/** @param {number} pid */
const markOf = (pid) => join(HELD, String(pid));

/** @param {number} pid @returns {boolean} */
export const isHeld = (pid) => existsSync(markOf(pid));

/** Stops a VM. @param {number} pid */
export function hold(pid) {
  mkdirSync(HELD, { recursive: true });
  writeFileSync(markOf(pid), "");
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
