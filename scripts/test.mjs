// npm test: all set-up, then every test file in one queue. The last line has the number of passed tests.
// `npm run nightly` adds repetition.
import { availableParallelism, tmpdir } from "node:os";
import { cacheFolder } from "./cache-folder.mjs";
import { ensureRoom } from "./disk-room.mjs";
import { IdleProcessors } from "./idle-processors.mjs";
import { exitCodeOf, explain } from "./problem.mjs";
import { processorSeconds } from "./processor-seconds.mjs";
import { ROOT } from "./project.mjs";
import { heading } from "./steps.mjs";
import { sum } from "./test-counts.mjs";
import { TEST_GROUPS } from "./test-groups.mjs";
import { testOptions } from "./test-options.mjs";
import { runQueue } from "./test-queue.mjs";
import { preparations } from "./test-set-up.mjs";
import { timesTable, writeTimes } from "./test-times.mjs";
import { readWeights, weightOf } from "./test-weights.mjs";

/**
 * No test measures the machine, so they may share it. The processors that each keeps busy are measured
 * (scripts/test-weights.json), without processes that it starts and does not wait for: editors and VMs that are killed.
 * More files begin where processors are seen to be idle.
 */
const CAPACITY = availableParallelism();
/** Each file may be an editor with a browser, of a gigabyte. */
const FILES_AT_A_TIME = availableParallelism() * 4;
/** Idle processors that are left to the files that run: these have more to do at other times. */
const LEFT_IDLE = availableParallelism() * 0.25;

/**
 * The output of compilers comes before all tests: these keep VMs busy for as long as they watch them, so that compilers
 * beside them take several times as long.
 * @type {import("./test-groups.mjs").Preparation[]}
 */
const COMPILED = ["helper", "testHelper", "extension", "bundles", "rust"];

const interruption = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => interruption.abort());

/**
 * @typedef {import("./test-groups.mjs").TestFile & {group: string, weight: import("./test-queue.mjs").Weight, ready: Promise<unknown>}} Queued
 * @typedef {import("./test-times.mjs").FileTimes & {failures: string[]}} Result
 */

/**
 * The files of a group. One whose list cannot be made, for example since its tests do not compile, is one file that fails; the others go on.
 * @param {import("./test-groups.mjs").TestGroup} group
 * @param {import("./test-groups.mjs").Form} form
 * @param {{weights: import("./test-weights.mjs").Weights, prepare: (wanted: import("./test-groups.mjs").Preparation[]) => Promise<unknown>}} how
 * @returns {Promise<Queued[]>}
 */
async function queued({ name, title }, { needs, files }, { weights, prepare }) {
  const { signal } = interruption;
  const found = await Promise.resolve()
    .then(() => files(signal))
    .catch((error) => [{ file: title, run: () => Promise.reject(error) }]);
  const ready = prepare(needs);
  return found.map((one) => ({ ...one, group: name, weight: weightOf(weights, name, one.file), ready }));
}

/**
 * Runs a file, and prints its output when it has ended: whole, and not among the output of another one.
 * @param {Queued} queued
 * @returns {Promise<Result>}
 */
async function resultOf({ group, file, run }) {
  const began = performance.now();
  const { output, ...tested } = await run(interruption.signal).catch(notRun);
  const seconds = (performance.now() - began) / 1000;
  const { passed, failed } = tested.counts;
  heading(`${file}: ${passed} passed, ${failed} failed, ${seconds.toFixed(1)} s`);
  process.stdout.write(output.endsWith("\n") || output === "" ? output : `${output}\n`);
  return { group, file, beganSeconds: began / 1000, seconds, ...tested };
}

/**
 * @param {unknown} error
 * @returns {import("./run-tests.mjs").Tested}
 */
function notRun(error) {
  if (interruption.signal.aborted) throw error;
  return { counts: { passed: 0, failed: 1 }, failures: [explain(error)], cpuSeconds: null, output: "" };
}

const USAGE = `npm test -- [--only NAME ...] [--quick]
npm run nightly -- [--only NAME ...]

  --only    these groups: ${TEST_GROUPS.map(({ name }) => name).join(", ")}
            (${TEST_GROUPS.filter(({ isNightly }) => isNightly)
              .map(({ name }) => name)
              .join(", ")}: of npm run nightly only, or when they are named)
  --quick   what needs neither root nor Debian of: ${TEST_GROUPS.filter(({ quick }) => quick)
    .map(({ name }) => name)
    .join(", ")}`;

/** @param {string[]} words */
async function main(words) {
  const { only, quick, nightly, help } = testOptions(
    words,
    TEST_GROUPS.map(({ name, quick: form, isNightly = false }) => ({
      name,
      hasQuickForm: form !== undefined,
      isNightly,
    })),
  );
  if (help) return console.log(USAGE);
  // Tests see it: test/nightly.mjs.
  if (nightly) process.env["EXTROSPECT_NIGHTLY"] = "yes";
  const chosen = TEST_GROUPS.filter(({ name }) => only.includes(name)).map((group) => ({
    group,
    form: (quick ? group.quick : undefined) ?? group,
  }));
  ensureRoom([ROOT, tmpdir(), cacheFolder()]);
  const weights = readWeights();
  const prepare = preparations(interruption.signal);
  heading("Set-up");
  // All of it at once: a preparation that takes long and that few tests need, such as the store, is ready when its turn
  // comes.
  const needed = [...new Set(chosen.flatMap(({ form }) => form.needs))];
  const ready = prepare(needed);
  const compiled = COMPILED.filter((what) => needed.includes(what));
  // A part of it would be kept in place of the whole.
  const begin = prepare(compiled.length === COMPILED.length ? [...compiled, "leftBuilds"] : compiled);
  const tested = begin.then(async () => {
    const files = (
      await Promise.all(chosen.map(({ group, form }) => queued(group, form, { weights, prepare })))
    ).flat();
    const idle = new IdleProcessors();
    return runQueue(
      files,
      { cpu: CAPACITY, files: FILES_AT_A_TIME, idle: () => idle.mean() - LEFT_IDLE, began: () => idle.restart() },
      resultOf,
    );
  });
  const [results] = await Promise.all([tested, ready]);
  report(results);
}

/** @param {Result[]} results */
function report(results) {
  const failed = results.flatMap(({ file, failures }) => failures.map((failure) => `${file}: ${failure}`));
  if (failed.length > 0) {
    heading("What failed");
    console.log(failed.join("\n\n"));
  }
  heading("How long it took");
  console.log(timesTable(results).join("\n"));
  const { own, children } = processorSeconds();
  const whole = { seconds: performance.now() / 1000, cpuSeconds: own + children };
  writeTimes(
    results.map(({ failures: _failures, ...times }) => times),
    whole,
  );
  console.log(`\n${(whole.seconds / 60).toFixed(1)} minutes, ${(whole.cpuSeconds / 60).toFixed(1)} of a processor`);
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
