// The options that set how the helper reads Erlang stacks below C code.
import { helperJson } from "../e2e/helper.mjs";

/** @typedef {import("./workloads.mjs").Engine} Engine */

/** @type {Engine[]} */
export const ALL_ENGINES = ["readv", "bpf"];

/** Engines that work here: `bpf` needs a kernel and a user that may. @returns {Promise<Engine[]>} */
export async function enginesHere() {
  const { rows } = await helperJson(["doctor"]);
  const bpfRow = rows.find((/** @type {any} */ row) => row.check.includes("bpf"));
  return bpfRow?.status === "ok" ? ALL_ENGINES : ["readv"];
}

/** Words of the command line. @param {Engine} engine */
export const engineOption = (engine) => ["--engine", engine];
