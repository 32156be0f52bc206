// A linking experiment: one load on two emulators that differ by their link alone, or by one allocator, captured in pairs
// and compared.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { compileDriver, recordSections } from "../../bench/sections.mjs";
import { ROOT } from "../../scripts/project.mjs";
import { helperJson } from "../e2e/helper.mjs";
import { linkedOtp } from "../vms/built.mjs";

const HZ = 997;
/** Its libraries are this machine's own: it sees the drivers where they are compiled. */
export const RELEASE = "25";

/** @typedef {import("../../bench/sections.mjs").Recorded} Recorded */

/**
 * @param {object} wanted
 * @param {boolean} wanted.stripped   neither emulator has a table of symbols
 * @param {string} wanted.folder      for compiled files and captures
 * @param {number} wanted.pairs
 * @param {number} wanted.seconds     of each capture
 * @param {string} [wanted.allocator]   the strategy of the heaps' allocator on the other side, which has the same link then
 * @param {(text: string) => void} [wanted.progress]
 * @returns {Promise<{given: Recorded[], other: Recorded[], comparison: any}>}
 */
export async function linkingExperiment({ stripped, folder, pairs, seconds, allocator, progress = () => {} }) {
  const work = join(folder, `${allocator ?? "reversed"}-${stripped ? "stripped" : "symbols"}`);
  mkdirSync(work, { recursive: true });
  compileDriver(work, join(ROOT, "test/vms/src/bench_runtime.erl"));
  const recorded = async (/** @type {"given" | "other"} */ side, /** @type {number} */ pair) => {
    progress(`${side} ${pair}`);
    const isOther = side === "other";
    const { wrap } = await linkedOtp(RELEASE, {
      order: isOther && allocator === undefined ? "reversed" : "given",
      stripped,
    });
    const flags = isOther && allocator !== undefined ? ["+MHas", allocator] : [];
    const erl = /** @type {[string, ...string[]]} */ (wrap(["/usr/bin/erl", ...flags]));
    return recordSections({
      folder: work,
      name: `${side}-${pair}`,
      driver: "bench_runtime",
      erl,
      paths: [],
      seconds,
      hz: HZ,
    });
  };
  /** @type {{given: Recorded[], other: Recorded[]}} */
  const sides = { given: [], other: [] };
  for (let pair = 1; pair <= pairs; pair++) {
    /** A drift hits both alike. @type {(keyof typeof sides)[]} */
    const turn = pair % 2 === 1 ? ["given", "other"] : ["other", "given"];
    for (const side of turn) sides[side].push(await recorded(side, pair));
  }
  const files = (/** @type {Recorded[]} */ captures) => captures.map(({ file }) => file);
  const comparison = await helperJson([
    "diff",
    ...files(sides.given),
    "--",
    ...files(sides.other),
    "--paired",
    "--anyway",
    "--all",
    "-n",
    "0",
  ]);
  return { ...sides, comparison };
}
