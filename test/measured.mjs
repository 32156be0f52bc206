// Times and rates that tests produce and that depend on the machine. No test fails for one: it prints the figure, and
// `npm run bench -- --only tests` runs those tests, collects their figures and judges them. bench/wanted.mjs has the
// limits.
import { WANTED, distance, limitsText, wantedOf } from "../bench/wanted.mjs";

/** How a line begins; the rest is `NAME: VALUE UNIT`. */
export const MEASURED = "measured: ";

/**
 * The line that reports a measurement.
 * @param {import("../bench/wanted.mjs").Figure} name
 * @param {number} value
 * @param {string} [where]   release, program: the subject of the figure
 */
export function measuredLine(name, value, where = "") {
  const { unit } = WANTED[name];
  return `${MEASURED}${name}: ${Number(value.toPrecision(4))} ${unit}${where ? ` (${where})` : ""}`;
}

/**
 * @param {{diagnostic: (message: string) => void}} t   the test
 * @param {import("../bench/wanted.mjs").Figure} name
 * @param {number} value
 * @param {string} [where]
 */
export function measured(t, name, value, where) {
  t.diagnostic(measuredLine(name, value, where));
}

/**
 * A measurement and whether it is as wanted, for tests that the bench does not run.
 * @param {{diagnostic: (message: string) => void}} t   the test
 * @param {import("../bench/wanted.mjs").Figure} name
 * @param {number} value
 * @param {string} [where]
 */
export function measuredAndJudged(t, name, value, where) {
  measured(t, name, value, where);
  t.diagnostic(`${isWanted(name, value) ? "as wanted" : "NOT AS WANTED"}: ${limitsText(WANTED[name])}`);
}

/**
 * The measurements in the output of a test runner.
 * @param {string} output
 * @returns {{name: string, value: number, where: string}[]}
 */
export function measurementsIn(output) {
  return [...output.matchAll(/measured: (.+?): (-?[\d.e+-]+|NaN|Infinity) .*?(?:\(([^()]*)\))?$/gm)]
    .map(([, name = "", value, where = ""]) => ({ name, value: Number(value), where }))
    .filter(({ name }) => wantedOf(name) !== undefined);
}

/**
 * @param {string} name
 * @param {number} value
 * @returns {boolean} whether it is within its limits
 */
export function isWanted(name, value) {
  const wanted = wantedOf(name);
  return wanted !== undefined && distance(wanted, value) <= 0;
}
