// The kinds of rows, in the order of the page.
import * as flags from "./flags.mjs";
import * as kernels from "./kernels.mjs";
import * as musl from "./musl.mjs";
import * as processors from "./processors.mjs";
import * as releases from "./releases.mjs";
import * as rights from "./rights.mjs";

/**
 * @typedef {import("./page.mjs").Row | import("./page.mjs").Row[]} Made   of one VM, or of one emulated machine
 *
 * @typedef {object} Surroundings
 * @property {string} folder   for captures; any user may write to it
 * @property {number} timeoutMs   of an emulated machine
 *
 * @typedef {object} ToRun
 * @property {string} name   for `--match`
 * @property {() => Promise<Made>} make
 *
 * @typedef {Required<import("./page.mjs").Kind> & {rows: (surroundings: Surroundings) => AsyncIterable<ToRun>}} MatrixKind
 */

/** @type {MatrixKind[]} */
export const KINDS = [releases, flags, rights, musl, kernels, processors];
