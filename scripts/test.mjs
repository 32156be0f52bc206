// npm test: all set-up, then every test, three groups at a time. The last line says how many passed.
import { preparations } from "./test-set-up.mjs";
import { exitCodeOf, explain } from "./problem.mjs";
import { heading } from "./steps.mjs";
import { sum } from "./test-counts.mjs";
import { TEST_GROUPS } from "./test-groups.mjs";
import { testOptions } from "./test-options.mjs";

/** No test measures the machine, so they may share it. Much of a test is waiting for a capture to end. */
const GROUPS_AT_A_TIME = 3;

/** What compilers make comes before all tests: these keep VMs busy for as long as they watch them, so that compilers beside them take several times as long. @type {import("./test-groups.mjs").Preparation[]} */
const COMPILED = ["helper", "testHelper", "extension", "rust"];

const interruption = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => interruption.abort());

/** @typedef {import("./run-tests.mjs").Tested & {title: string, seconds: number}} Result */

/**
 * Runs a group once what it needs is there, and shows what it printed when it has ended: whole, and
 * not among the output of another one. One that runs alone is shown as it goes.
 * @param {import("./test-groups.mjs").TestGroup} group
 * @param {{quick: boolean, isAlone: boolean, prepare: (wanted: import("./test-groups.mjs").Preparation[]) => Promise<unknown>}} how
 * @returns {Promise<Result>}
 */
async function resultOf({ title, quick, ...whole }, { quick: isQuick, isAlone, prepare }) {
  const { needs, run } = (isQuick ? quick : undefined) ?? whole;
  await prepare(needs);
  const began = performance.now();
  /** @type {string[]} */
  const output = [];
  if (isAlone) heading(title);
  else console.log(`  ${title}: begun`);
  const show = (/** @type {string} */ text) => void (isAlone ? process.stdout.write(text) : output.push(text));
  const tested = await run({ signal: interruption.signal, show }).catch(notRun);
  const seconds = (performance.now() - began) / 1000;
  if (!isAlone) {
    heading(title);
    process.stdout.write(output.join(""));
  }
  return { title, seconds, ...tested };
}

/**
 * A group that does not come to its tests, for example since they do not compile, has failed; the others go on.
 * @param {unknown} error
 * @returns {import("./run-tests.mjs").Tested}
 */
function notRun(error) {
  if (interruption.signal.aborted) throw error;
  return { counts: { passed: 0, failed: 1 }, failures: [explain(error)] };
}

/**
 * @template Item, Value
 * @param {Item[]} items
 * @param {number} limit   at a time
 * @param {(item: Item) => Promise<Value>} work
 * @returns {Promise<Value[]>} in the order of the items
 */
async function inTurn(items, limit, work) {
  /** @type {Value[]} */
  const values = [];
  const left = [...items.entries()];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) values[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return values;
}

const USAGE = `npm test -- [--only NAME ...] [--quick]

  --only    these groups: ${TEST_GROUPS.map(({ name }) => name).join(", ")}
  --quick   what needs neither root nor Debian of: ${TEST_GROUPS.filter(({ quick }) => quick)
    .map(({ name }) => name)
    .join(", ")}`;

/** @param {string[]} words */
async function main(words) {
  const { only, quick, help } = testOptions(
    words,
    TEST_GROUPS.map(({ name, quick: form }) => ({ name, hasQuickForm: form !== undefined })),
  );
  if (help) return console.log(USAGE);
  const groups = TEST_GROUPS.filter(({ name }) => only.includes(name));
  const makePreparation = preparations(interruption.signal);
  const prepare = (/** @type {import("./test-groups.mjs").Preparation[]} */ wanted) => makePreparation(wanted);
  heading("Set-up");
  // All of it at once: what takes long and few tests need, such as the store, is ready when its turn comes.
  const needed = groups.flatMap((group) => ((quick ? group.quick : undefined) ?? group).needs);
  const ready = prepare([...new Set(needed)]);
  const isAlone = groups.length === 1;
  if (isAlone) await ready;
  const begin = prepare(COMPILED.filter((what) => needed.includes(what)));
  const [results] = await Promise.all([begin.then(() => inTurn(groups, GROUPS_AT_A_TIME, (group) => resultOf(group, { quick, isAlone, prepare }))), ready]);
  report(results);
}

/** @param {Result[]} results */
function report(results) {
  const failed = results.flatMap(({ title, failures }) => failures.map((failure) => `${title}: ${failure}`));
  if (failed.length > 0) {
    heading("What failed");
    console.log(failed.join("\n\n"));
  }
  const lines = results.map(({ title, counts, seconds }) => `${title.padEnd(18)} ${String(counts.passed).padStart(4)} passed, ${counts.failed} failed, ${seconds.toFixed(0)} s`);
  console.log(`\n${lines.join("\n")}\n${(performance.now() / 60_000).toFixed(1)} minutes`);
  const counts = sum(results.map(({ counts: of }) => of));
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  interruption.abort();
  console.error(explain(error));
  console.log("0 passed, 1 failed");
  process.exitCode = exitCodeOf(error);
}
