// The recipe of docs/ci, as programs of this folder run it: its script, its template of a benchmark, its gates.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../scripts/project.mjs";
import { HELPER } from "../test/e2e/helper.mjs";

const HZ = 997;
const TEXT = readFileSync(join(ROOT, "docs/ci/gitlab-ci.yml"), "utf8");

/** The conditions of the recipe: its job fails where one holds, and where one cannot tell. */
export const RECIPE = [...TEXT.matchAll(/--fail-if '([^']*)'/g)].map(([, condition]) => String(condition));
/** How many pairs of how many seconds it records. */
const SIZE = wantedMatch(TEXT, /record-pairs\.sh "[^"]*" "[^"]*" (\d+) (\d+) /);
export const [RECIPE_PAIRS, RECIPE_SECONDS] = [String(SIZE[1]), String(SIZE[2])];
/** How it starts the benchmark. */
export const START = String(wantedMatch(TEXT, /^ *START: (.*)$/m)[1]);

/** @typedef {"holds" | "does_not_hold" | "cannot_tell"} Answer */

/** @param {string} text @param {RegExp} pattern */
function wantedMatch(text, pattern) {
  const match = pattern.exec(text);
  if (match === null) throw new Error(`docs/ci has no ${pattern}`);
  return match;
}

/**
 * The template with what a project has to say itself.
 * @param {{order?: string, work: string, orders: number}} own   bodies of `order/1` and `work/1`, and the orders of a unit
 */
export function benchmark({ order, work, orders }) {
  let text = readFileSync(join(ROOT, "docs/ci/benchmark.erl"), "utf8");
  const replace = (/** @type {RegExp} */ pattern, /** @type {string} */ by) => {
    wantedMatch(text, pattern);
    text = text.replace(pattern, (_, head) => `${head}${by}.\n`);
  };
  replace(/^(-define\(ORDERS, )\d+\)\.\n/m, `${orders})`);
  replace(/^(work\(Order\) ->\n {4})[^]*?\.\n/m, work);
  if (order !== undefined) replace(/^(order\(Random\) ->\n {4})[^]*?\.\n(?=\n)/m, order);
  return text;
}

/**
 * Records both commits with record-pairs.sh: base-1.pb.gz, head-1.pb.gz, …
 * @param {{repository: string, base: string, head: string, pairs: number | string, seconds: number | string, out: string, build: string}} wanted
 */
export function recordPairs({ repository, base, head, pairs, seconds, out, build }) {
  const recorded = spawnSync(
    join(ROOT, "docs/ci/record-pairs.sh"),
    [base, head, String(pairs), String(seconds), out, build, START],
    { cwd: repository, encoding: "utf8", env: { ...process.env, EXTROSPECT: HELPER, RECORD_ARGUMENTS: `-F ${HZ}` } },
  );
  if (recorded.status !== 0) throw new Error(`record-pairs.sh: ${recorded.stdout}${recorded.stderr}`);
}

/**
 * The comparison of the recipe, as JSON.
 * @param {{repository: string, base: string[], head: string[], gates: string[]}} wanted
 * @returns {any}
 */
export function compared({ repository, base, head, gates }) {
  const run = spawnSync(
    HELPER,
    [
      ...["diff", ...base, "--", ...head, "--paired", "--own", repository, "--measure", "work"],
      ...gates.flatMap((gate) => ["--fail-if", gate]),
      ...["--json", "-n", "1"],
    ],
    { encoding: "utf8", maxBuffer: 1 << 28 },
  );
  if (![0, 6, 7].includes(run.status ?? -1)) throw new Error(`extrospect diff: ${run.stderr}`);
  return JSON.parse(run.stdout);
}

/** The answer of the recipe's job, which has the gates of the recipe. @param {{gates: {condition: string, answer: Answer}[]}} comparison @returns {Answer} */
export function jobAnswer({ gates }) {
  const answers = gates.filter(({ condition }) => RECIPE.includes(condition)).map(({ answer }) => answer);
  if (answers.includes("holds")) return "holds";
  return answers.includes("cannot_tell") ? "cannot_tell" : "does_not_hold";
}
