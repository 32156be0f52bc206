// The ways of profiling that are compared: commands that sample a process for some seconds.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { HELPER } from "../test/e2e/helper.mjs";

/**
 * @typedef {object} Profiler
 * @property {string} name
 * @property {(pid: number, seconds: number, folder: string) => string[]} command
 * @property {(vm: import("../test/vms/vm.mjs").RunningVm, seconds: number) => Promise<unknown>} [during]   instead of the command
 */

export const perfInstalled = existsSync("/usr/bin/perf");
export const helperBuilt = existsSync(HELPER);

/** @param {number} hz @param {"bpf" | "readv"} [engine] @returns {Profiler} */
export function helperAt(hz, engine = "bpf") {
  return {
    name: `extrospect ${engine} ${hz} Hz`,
    command: (pid, seconds, folder) => [
      HELPER,
      "record",
      `${pid}`,
      "--force",
      "-d",
      `${seconds}`,
      "-F",
      `${hz}`,
      "--engine",
      engine,
      "-o",
      join(folder, "capture.pb.gz"),
      "--json",
    ],
  };
}

/**
 * @param {number} hz
 * @param {"fp" | "dwarf" | "dwarf,4096" | "none"} stacks   how perf gets stacks; with "none" a sample is hardly more than its interrupt, and "fp" only works on a VM started with +JPperf true
 * @returns {Profiler}
 */
export function perfAt(hz, stacks) {
  const graph = stacks === "none" ? [] : ["--call-graph", stacks];
  return {
    name: stacks === "none" ? `perf record, no stacks ${hz} Hz` : `perf record ${stacks} ${hz} Hz`,
    command: (pid, seconds, folder) => [
      "perf",
      "record",
      "-q",
      "-e",
      "cpu-clock",
      "-F",
      `${hz}`,
      ...graph,
      "-p",
      `${pid}`,
      "-o",
      join(folder, "perf.data"),
      "--",
      "sleep",
      `${seconds}`,
    ],
  };
}
