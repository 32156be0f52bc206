// The planted faults of this folder: a header, then a diff.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/project.mjs";

const FOLDER = "test/planted";
/** What a fault makes to be built anew. */
const BUILDS = ["helper", "extension", "none"];

/**
 * @typedef {object} PlantedFault
 * @property {string} name         of its file, without the ending
 * @property {string} patch        path from the root
 * @property {string} capability   the one that it spoils
 * @property {string} fault        the mistake, in a sentence
 * @property {string[]} foundBy    gate files, or folders of them, that are expected to find it: paths from the root
 * @property {string[]} rebuilds
 */

/** @returns {PlantedFault[]} in the order of their numbers */
export function plantedFaults() {
  const files = readdirSync(join(ROOT, FOLDER)).filter((name) => name.endsWith(".patch"));
  return files.sort().map((file) => faultOf(`${FOLDER}/${file}`, readFileSync(join(ROOT, FOLDER, file), "utf8")));
}

/** @param {string} patch   path from the root @param {string} text @returns {PlantedFault} */
export function faultOf(patch, text) {
  const [header = ""] = text.split(/^diff /m);
  const field = (/** @type {string} */ name) => {
    const value = new RegExp(`^${name}: (.+)$`, "m").exec(header)?.[1];
    if (value === undefined) throw new Error(`${patch} has no line "${name}: …" before its diff`);
    return value;
  };
  const list = (/** @type {string} */ name) => field(name).split(", ");
  const rebuilds = list("rebuilds");
  const unknown = rebuilds.filter((one) => !BUILDS.includes(one));
  if (unknown.length > 0) throw new Error(`${patch} rebuilds ${unknown.join(", ")}, none of ${BUILDS.join(", ")}`);
  return {
    name: patch.slice(FOLDER.length + 1, -".patch".length),
    patch,
    capability: field("capability"),
    fault: field("fault"),
    foundBy: list("found by"),
    rebuilds,
  };
}

/**
 * @typedef {{file: string, test: string}} FailedTest
 * @typedef {"npm test" | "npm run nightly"} Command
 * @typedef {(command: Command, words: string[]) => Promise<FailedTest[]>} Run   with the words that choose files or groups
 */

/** @param {FailedTest} failed */
export const keyOf = ({ file, test }) => `${file}: ${test}`;
/** @param {Iterable<string>} files @returns {string[]} words of both commands */
export const wordsOf = (files) => [...new Set(files)].flatMap((file) => ["--file", file]);

/** What runs without any fault have shown. */
export class Unspoiled {
  /** Files by the command that has run them. @type {Set<string>} */
  #ran = new Set();
  /** @type {Set<string>} */
  #red = new Set();

  /** @param {Command} command @param {Iterable<string>} files   that it has run @param {FailedTest[]} failed */
  add(command, files, failed) {
    for (const file of files) this.#ran.add(`${command}: ${file}`);
    for (const one of failed) this.#red.add(keyOf(one));
  }

  /** Files of which nothing is known. @param {Command} command @param {FailedTest[]} failed */
  unknown(command, failed) {
    return [...new Set(failed.map(({ file }) => file))].filter((file) => !this.#ran.has(`${command}: ${file}`));
  }

  /** @param {FailedTest} failed */
  isRed = (failed) => this.#red.has(keyOf(failed));
}

/**
 * The first tests that find a fault. A test that is red without the fault, too, finds nothing: files that were not run
 * without one yet run once more so.
 * @param {[Command, string[]][]} tries   in this order
 * @param {{withFault: Run, without: Run}} runs
 * @param {Unspoiled} unspoiled   to which those without the fault are added
 * @returns {Promise<{command: Command | undefined, tests: FailedTest[]}>}
 */
export async function foundBy(tries, { withFault, without }, unspoiled) {
  for (const [command, words] of tries) {
    const failed = await withFault(command, words);
    const files = unspoiled.unknown(command, failed);
    if (files.length > 0) unspoiled.add(command, files, await without(command, wordsOf(files)));
    const tests = failed.filter((one) => !unspoiled.isRed(one));
    if (tests.length > 0) return { command, tests };
  }
  return { command: undefined, tests: [] };
}

/**
 * The failed tests in the output of `npm test`: a file, and the name of the test. Code that does not compile has no file.
 * @param {string} output
 * @returns {FailedTest[]}
 */
export function failedTests(output) {
  const [, after = ""] = output.split(/^What failed$/m);
  const [failed = ""] = after.split(/^(?:Unstable: failed, and passed alone|How long it took)$/m);
  const firstLines = failed.matchAll(/^((?:test|native-helper)\/\S+\.(?:mjs|ts|rs)): (.+)$/gm);
  return [...firstLines].map(([, file = "", test = ""]) => ({ file, test }));
}
