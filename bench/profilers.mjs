// The ways of profiling that are compared: commands that sample a process for some seconds.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { HELPER } from "../test/e2e/helper.mjs";

/**
 * @typedef {object} Profiler
 * @property {string} name
 * @property {boolean} needsFramePointers   only works on a VM started with +JPperf true
 * @property {(pid: number, seconds: number, folder: string) => string[]} command
 */

export const perfInstalled = existsSync("/usr/bin/perf");
export const helperBuilt = existsSync(HELPER);

/** @param {number} hz @returns {Profiler} */
export function helperAt(hz) {
  return {
    name: `extrospect ${hz} Hz`,
    needsFramePointers: false,
    command: (pid, seconds, folder) =>
      [HELPER, "record", `${pid}`, "--force", "-d", `${seconds}`, "-F", `${hz}`, "-o", join(folder, "capture.pb.gz"), "--json"],
  };
}

/** @param {number} hz @param {"fp" | "dwarf"} stacks @returns {Profiler} */
export function perfAt(hz, stacks) {
  return {
    name: `perf record ${stacks} ${hz} Hz`,
    needsFramePointers: stacks === "fp",
    command: (pid, seconds, folder) =>
      ["perf", "record", "-q", "-F", `${hz}`, "--call-graph", stacks, "-p", `${pid}`,
        "-o", join(folder, "perf.data"), "--", "sleep", `${seconds}`],
  };
}
