// How the helper can be told to get at Erlang stacks under C code.
import { runHelper } from "../e2e/helper.mjs";

/** @typedef {import("./workloads.mjs").Engine} Engine */

const { stdout: recordHelp } = await runHelper(["record", "--help"]);

/** Engines of the helper that is built. @type {Engine[]} */
export const ENGINES = recordHelp.includes("--engine") ? ["readv", "bpf"] : ["readv"];

/** Words of the command line. @param {Engine} engine */
export function engineOption(engine) {
  return recordHelp.includes("--engine") ? ["--engine", engine] : [];
}
