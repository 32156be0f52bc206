// Times and rates that tests come by and that depend on the machine. No test fails for one: it says it, and
// `npm run bench -- --only tests` runs those tests, collects what they say and judges it. bench/wanted.mjs says what is wanted.
import { WANTED, distance, wantedOf } from "../bench/wanted.mjs";

/** How a line begins; what follows is `NAME: VALUE UNIT`. */
export const MEASURED = "measured: ";

/**
 * The line that says a measurement.
 * @param {import("../bench/wanted.mjs").Figure} name
 * @param {number} value
 * @param {string} [where]   release, program: what the figure is of
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
 * The measurements in what a test runner printed.
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
 * @returns {boolean} whether it is what is wanted
 */
export function isWanted(name, value) {
  const wanted = wantedOf(name);
  return wanted !== undefined && distance(wanted, value) <= 0;
}
