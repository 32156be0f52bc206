// Figures that tests measure but do not judge, collected by running them, and judged here.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { bundleTests } from "../scripts/bundle-tests.mjs";
import { cargo, cargoEnvironment } from "../scripts/cargo.mjs";
import { HELPER_WORKSPACE, ROOT } from "../scripts/project.mjs";
import { isWanted, measurementsIn } from "../test/measured.mjs";
import { NIGHTLY } from "../test/nightly.mjs";
import { median } from "./stats.mjs";
import { distance, limitsText, WANTED } from "./wanted.mjs";

/** The groups of tests that print figures. */
export const SAYING = /** @type {const} */ (["rust", "unit", "webviews", "e2e", "captures", "editor"]);

/**
 * @typedef {object} Judged
 * @property {string} name
 * @property {number[]} values
 * @property {number} worst    the value farthest from the limits
 * @property {string} where    where it was
 * @property {import("./wanted.mjs").Wanted} wanted
 * @property {boolean} passes
 */

/**
 * Runs the tests, one after the other.
 * @param {readonly string[]} groups   of SAYING
 * @param {(text: string) => void} progress
 * @returns {Promise<Judged[]>}
 */
export async function judgedByTests(groups, progress) {
  const said = [];
  for (const group of groups) {
    progress(`what the ${group} tests say`);
    said.push(...measurementsIn(group === "rust" ? await cargoOutput() : await nodeOutput(await filesOf(group))));
  }
  return judge(said);
}

/** @param {{name: string, value: number, where: string}[]} measured @returns {Judged[]} */
export function judge(measured) {
  return Object.entries(WANTED).flatMap(([name, wanted]) => {
    const own = measured.filter((one) => one.name === name);
    const [first] = own;
    if (first === undefined) return [];
    const worst = own.reduce((a, b) => (distance(wanted, b.value) > distance(wanted, a.value) ? b : a), first);
    return [
      {
        name,
        values: own.map(({ value }) => value),
        worst: worst.value,
        where: worst.where,
        wanted,
        passes: own.every(({ value }) => isWanted(name, value)),
      },
    ];
  });
}

/** The figures that only these tests report, and none has reported. @param {Judged[]} judged */
export const unsaid = (judged) =>
  Object.entries(WANTED)
    .filter(
      ([name, wanted]) => !("measured" in wanted) && !("by" in wanted) && !judged.some((one) => one.name === name),
    )
    .map(([name]) => name);

/** @param {Judged[]} judged */
export function printJudged(judged) {
  console.log("\nWhat tests say, beside what is wanted");
  for (const { name, values, worst, where, wanted, passes } of judged) {
    console.log(
      `  ${passes ? "pass" : "MISS"}  ${name.padEnd(58)} ${String(median(values)).padStart(8)} ${wanted.unit}, worst ${worst}${where ? ` (${where})` : ""}; wanted ${limitsText(wanted)}; n=${values.length}`,
    );
  }
  for (const name of unsaid(judged)) console.log(`  NONE  ${name}: no test reported it`);
}

/** @param {string} group */
async function filesOf(group) {
  const folder = `test/${group}`;
  const own = readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".test.mjs"))
    .map((name) => `${folder}/${name}`);
  return group === "unit" ? [...own, ...(await bundleTests("test/unit"))] : own;
}

/** As by night: by day, some tests have less to measure and report no figure. @param {string[]} files */
export function nodeOutput(files) {
  // A test file must not believe it runs below another runner.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const flags = ["--test", "--test-concurrency=1", "--test-reporter=tap"];
  return output(process.execPath, [...flags, ...files], ROOT, { ...env, [NIGHTLY]: "yes" });
}

/** Optimised: a figure of code as it is compiled for most Rust tests has no meaning. */
const cargoOutput = () =>
  output(
    cargo(),
    ["test", "--profile", "quick", "--locked", "-p", "native-code", "--", "--nocapture", "--test-threads=1"],
    HELPER_WORKSPACE,
    cargoEnvironment(),
  );

/**
 * The output of a program, whatever its exit code: a failed test is not judged here.
 * @param {string} command @param {string[]} args @param {string} cwd @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>}
 */
function output(command, args, cwd, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk) => (text += chunk));
    child.once("error", reject);
    child.once("close", () => resolve(text));
  });
}
