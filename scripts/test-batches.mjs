// The files of each group of tests, in batches that share their preparations.
import { Problem } from "./problem.mjs";
import { isNightFile } from "./test-groups.mjs";

/**
 * @typedef {import("./test-groups.mjs").TestFile & {group: string}} Planned
 * @typedef {import("./test-groups.mjs").Preparation} Preparation
 */

/**
 * A preparation that fails, for example without a network, or a list that cannot be made, since Rust tests do not compile,
 * is one file that fails: the other groups go on. An interruption is none of both, and ends all.
 * @param {Pick<import("./test-groups.mjs").TestGroup, "name" | "title" | "lane" | "nightNeeds">} group
 * @param {object} how
 * @param {import("./test-groups.mjs").Form} how.form
 * @param {boolean} how.named     its files are named: all of them run
 * @param {boolean} how.nightly
 * @param {(wanted: Preparation[]) => Promise<unknown>} how.prepare
 * @param {AbortSignal} how.signal
 * @returns {{lane: import("./test-lanes.mjs").LaneName, files: Promise<Planned[]>}[]}
 */
export function batches(
  { name, title, lane, nightNeeds = [] },
  { form: { needs, files }, named, nightly, prepare, signal },
) {
  /** @param {unknown} error @returns {Planned[]} */
  const failing = (error) => {
    if (signal.aborted) throw error;
    return [{ file: title, group: name, run: () => Promise.reject(error) }];
  };
  const planned = prepare(needs)
    .then(() => files(signal))
    .then((found) => found.map((one) => ({ ...one, group: name })))
    .catch(failing);
  if (named) return [{ lane, files: planned }];
  const day = planned.then((all) => all.filter(({ file }) => !isNightFile(file)));
  if (!nightly) return [{ lane, files: day.then((found) => (found.length > 0 ? found : failing(nothingByDay(name)))) }];
  const night = Promise.all([planned, prepare(nightNeeds)])
    .then(([all]) => all.filter(({ file }) => isNightFile(file)))
    .catch(failing);
  return [
    { lane, files: day },
    { lane, files: night },
  ];
}

/** @param {string} group */
const nothingByDay = (group) =>
  new Problem("no test file was run", `${group} has night files alone`, `npm run nightly -- --only ${group}`);
