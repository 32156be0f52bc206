// A linking experiment: one load on two emulators that differ by their link alone, captured in pairs and compared.
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
 * @param {(text: string) => void} [wanted.progress]
 * @returns {Promise<{given: Recorded[], reversed: Recorded[], comparison: any}>}
 */
export async function linkingExperiment({ stripped, folder, pairs, seconds, progress = () => {} }) {
  const work = join(folder, stripped ? "stripped" : "symbols");
  mkdirSync(work, { recursive: true });
  compileDriver(work, join(ROOT, "test/vms/src/bench_runtime.erl"));
  const recorded = async (/** @type {"given" | "reversed"} */ order, /** @type {number} */ pair) => {
    progress(`${order} ${pair}`);
    const { wrap } = await linkedOtp(RELEASE, { order, stripped });
    const erl = /** @type {[string, ...string[]]} */ (wrap(["/usr/bin/erl"]));
    return recordSections({
      folder: work,
      name: `${order}-${pair}`,
      driver: "bench_runtime",
      erl,
      paths: [],
      seconds,
      hz: HZ,
    });
  };
  /** @type {{given: Recorded[], reversed: Recorded[]}} */
  const sides = { given: [], reversed: [] };
  for (let pair = 1; pair <= pairs; pair++) {
    /** A drift hits both alike. @type {(keyof typeof sides)[]} */
    const turn = pair % 2 === 1 ? ["given", "reversed"] : ["reversed", "given"];
    for (const order of turn) sides[order].push(await recorded(order, pair));
  }
  const files = (/** @type {Recorded[]} */ captures) => captures.map(({ file }) => file);
  const comparison = await helperJson([
    "diff",
    ...files(sides.given),
    "--",
    ...files(sides.reversed),
    "--paired",
    "--anyway",
    "--all",
    "-n",
    "0",
  ]);
  return { ...sides, comparison };
}
