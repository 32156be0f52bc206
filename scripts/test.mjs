// npm test: all set-up, then the gate's files in three lanes. `npm run nightly`: the night files, too. The last line has
// the number of passed tests.
import "./outer-repository.mjs";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { cacheFolder } from "./cache-folder.mjs";
import { ensureRoom, fullDisks, ROOM_FOR_PROGRAMS } from "./disk-room.mjs";
import { checkoutState, stateOfRun, writeGateRecord } from "./gate-record.mjs";
import { interruptionOfRun } from "./interruption.mjs";
import { watchOutput } from "./output-end.mjs";
import { exitCodeOf, explain, Problem } from "./problem.mjs";
import { processorSeconds } from "./processor-seconds.mjs";
import { ProcessWatch } from "./process-watch.mjs";
import { ROOT } from "./project.mjs";
import { unstableProcesses } from "./shared-tests.mjs";
import { heading } from "./steps.mjs";
import { batches } from "./test-batches.mjs";
import { sum } from "./test-counts.mjs";
import { formOfFiles, TEST_GROUPS } from "./test-groups.mjs";
import { LANES, runLanes } from "./test-lanes.mjs";
import { groupOfFile, testOptions } from "./test-options.mjs";
import { MOST_UNSTABLE, repeatFailed, unstableText } from "./test-repeats.mjs";
import { preparations } from "./test-set-up.mjs";
import { place, removeLeftFolders } from "./temporary-folder.mjs";
import {
  ensureNoTestOptions,
  ensureOwnClone,
  ensureRoot,
  ensureTemporaryFolder,
  ensureWritable,
} from "./test-surroundings.mjs";
import { laneTimes, timesTable } from "./test-times.mjs";
import { removeLeftOnMachine } from "../test/left-on-machine.mjs";

const interruption = interruptionOfRun();
const outputFailure = watchOutput(() => interruption.abort());
const watch = new ProcessWatch();
/** Where tests write. */
const FOLDERS = [ROOT, tmpdir(), place(), cacheFolder()];
const FOLDERS_OF_PROGRAMS = ["/var/tmp", "/opt"];

/**
 * @typedef {import("./test-lanes.mjs").LaneName} LaneName
 * @typedef {import("./test-batches.mjs").Planned} Planned
 * @typedef {import("./test-times.mjs").FileTimes & {planned: Planned, lane: LaneName, failures: string[], skipped?: string[], output: string, failedProcess?: import("./run-tests.mjs").FailedProcess}} Result
 */

/**
 * Runs a file, and prints its output when it has ended: whole, and not among the output of another one.
 * @param {Planned} planned
 * @param {LaneName} lane
 * @returns {Promise<Result>}
 */
async function resultOf(planned, lane) {
  const { group, file, run } = planned;
  const began = performance.now();
  /** One after the other: a file that shared its process may run alone then. @type {ReturnType<ProcessWatch["begin"]>[]} */
  const watched = [];
  const { signal } = interruption;
  const running = {
    signal,
    nice: LANES[lane].nice,
    onStart: (/** @type {number} */ pid, /** @type {string} */ mark) => void watched.push(watch.begin(pid, mark)),
  };
  const tested = await run(running)
    .catch(notRun)
    .finally(() => {
      // A run that is interrupted leaves nothing, either.
      if (signal.aborted) watched.forEach((one) => endLeft(watch.end(one).left));
    });
  const ended = watched.map((one) => watch.end(one));
  const cpuSeconds = ended.reduce((all, one) => all + one.seconds, 0);
  const leftBehind = ended.flatMap(({ left }) => endLeft(left));
  const seconds = tested.ownSeconds ?? (performance.now() - began) / 1000;
  const { passed, failed } = tested.counts;
  // The watch looks once a second: of a shorter file it knows nothing.
  const cpu = tested.ownSeconds === undefined && cpuSeconds > 0 ? `, CPU ${cpuSeconds.toFixed(1)} s` : "";
  heading(`${file}: ${passed} passed, ${failed} failed, ${seconds.toFixed(1)} s${cpu}`);
  const output = [tested.output, ...leftBehind].filter((text) => text !== "").join("\n");
  process.stdout.write(output.endsWith("\n") || output === "" ? output : `${output}\n`);
  // Programs name it each in its own way, or not at all.
  const full = failed > 0 ? fullDisks([...FOLDERS, ...FOLDERS_OF_PROGRAMS]) : [];
  const failures = [...tested.failures, ...full];
  return { ...tested, failures, planned, group, lane, file, seconds, cpuSeconds, output };
}

/** @param {number[]} pids   processes that a file has left behind @returns {string[]} a line for each */
function endLeft(pids) {
  return pids.flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      process.kill(pid, "SIGKILL");
      return command === "" ? [] : [`left behind, and ended now: ${command.slice(0, 200)} (${pid})`];
    } catch {
      return []; // it has ended
    }
  });
}

/**
 * @param {unknown} error
 * @returns {import("./run-tests.mjs").Tested}
 */
function notRun(error) {
  if (interruption.signal.aborted) throw error;
  return { counts: { passed: 0, failed: 1 }, failures: [explain(error)], output: "" };
}

/** What the kept crates are made of has failed: its groups have that error, too. @param {unknown} error */
function passedOn(error) {
  if (interruption.signal.aborted) throw error;
}

const USAGE = `npm test -- [--only NAME ...] [--quick]
npm test -- --file PATH [--file PATH ...]
npm run nightly -- [--only NAME ...]

  --file    this file alone, of the gate or of the night
  --only    these groups: ${TEST_GROUPS.map(({ name }) => name).join(", ")}
            (${TEST_GROUPS.filter(({ isNightly }) => isNightly)
              .map(({ name }) => name)
              .join(", ")}: of npm run nightly only, or when they are named)
  --quick   what needs neither root nor Debian of: ${TEST_GROUPS.filter(({ quick }) => quick)
    .map(({ name }) => name)
    .join(", ")}`;

/** @param {string[]} words */
async function main(words) {
  const { only, files, quick, nightly, help } = testOptions(
    words,
    TEST_GROUPS.map(({ name, quick: form, isNightly = false, isOnlyNamed = false }) => ({
      name,
      hasQuickForm: form !== undefined,
      isNightly,
      isOnlyNamed,
    })),
  );
  if (help) return console.log(USAGE);
  // Tests see it: test/nightly.mjs.
  if (nightly) process.env["EXTROSPECT_NIGHTLY"] = "yes";
  const isWhole =
    !quick &&
    files.length === 0 &&
    TEST_GROUPS.every(
      ({ name, isNightly, isOnlyNamed }) => only.includes(name) || (isNightly && !nightly) || isOnlyNamed,
    );
  const chosen = TEST_GROUPS.filter(({ name }) => only.includes(name)).map((group) => ({
    group,
    form:
      files.length > 0
        ? formOfFiles(
            group,
            files.filter((file) => groupOfFile(file) === group.name),
          )
        : ((quick ? group.quick : undefined) ?? group),
  }));
  const needed = chosen.flatMap(({ form }) => form.needs);
  ensureRoot(chosen.map(({ group: { needsRoot = false }, form: { needs } }) => ({ needs, needsRoot })));
  // Quick ones keep nothing for other clones.
  const folders = FOLDERS.filter((folder) => !quick || folder !== cacheFolder());
  ensureNoTestOptions();
  ensureTemporaryFolder();
  ensureOwnClone(ROOT);
  ensureWritable(folders);
  removeLeftFolders();
  removeLeftOnMachine();
  ensureRoom(folders);
  if (!quick) ensureRoom(FOLDERS_OF_PROGRAMS, { needed: ROOM_FOR_PROGRAMS });
  // A name that no group has is refused before the set-up; those of Rust are known once it is compiled.
  for (const { group, form } of chosen)
    if (files.length > 0 && group.name !== "rust") await form.files(interruption.signal);
  const before = await checkoutState();
  const prepare = preparations(interruption.signal);
  heading("Set-up");
  const planned = chosen.flatMap(({ group, form }) =>
    batches(group, { form, named: files.length > 0, nightly, prepare, signal: interruption.signal }),
  );
  // The crates that were compiled are kept for the next clone, beside the tests.
  const kept = ["helper", "testHelper", "extension", "rust"].every((what) => needed.some((one) => one === what))
    ? prepare(["leftBuilds"]).catch(passedOn)
    : undefined;
  const [first] = await Promise.all([runLanes(planned, LANES, resultOf), kept]);
  if (first.length === 0)
    throw new Problem("no test file was run", "the chosen groups have none", "npm test -- --help   lists the groups");
  if (first.some(({ counts }) => counts.failed > 0)) heading("Once more, alone: files that failed");
  const { last, unstable } = await repeatFailed(first, ({ planned: file, lane }) => resultOf(file, lane));
  const state = stateOfRun(before, await checkoutState());
  report({ last, unstable: [...unstableProcesses(first), ...unstable], nightly, state, isWhole });
}

/** @param {{last: Result[], unstable: {first: Result, second: Result}[], nightly: boolean, isWhole: boolean, state: ReturnType<typeof stateOfRun>}} ran */
function report({ last, unstable, nightly, isWhole, state }) {
  const failed = failuresOf(last);
  if (failed.length > 0) {
    heading("What failed");
    console.log(failed.join("\n\n"));
  }
  if (unstable.length > 0) {
    heading("Unstable: failed, and passed alone");
    console.log(unstable.map(unstableText).join("\n\n"));
  }
  heading("How long it took");
  console.log(timesTable(last).join("\n"));
  const { own, children } = processorSeconds();
  const [seconds, cpuSeconds] = [performance.now() / 1000, own + children];
  console.log(`\n${(seconds / 60).toFixed(1)} minutes, ${(cpuSeconds / 60).toFixed(1)} of a processor`);
  const counts = sum(last.map(({ counts: of }) => of));
  const passed = counts.failed === 0 && unstable.length <= MOST_UNSTABLE;
  const files = unstable.map(({ first: { file } }) => file);
  const skipped = last.flatMap(({ file, skipped: of = [] }) => of.map((one) => `${file}: ${one}`));
  const record = { nightly, counts, skipped, unstable: files, passed, seconds, cpuSeconds, lanes: laneTimes(last) };
  const isRecorded = !isWhole || isWritten(state, record);
  // Sources that changed since the beginning are not those of the commit.
  if (state.changedDuring.length > 0)
    console.log(["changed while the tests ran:", ...state.changedDuring.map((one) => `  ${one}`)].join("\n"));
  if (files.length > 0)
    console.log(
      `unstable: ${files.length}${files.length > MOST_UNSTABLE ? ` (at most ${MOST_UNSTABLE} are accepted)` : ""}: ${files.join(", ")}`,
    );
  if (skipped.length > 0) console.log([`skipped: ${skipped.length}`, ...skipped.map((one) => `  ${one}`)].join("\n"));
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = passed && isRecorded ? 0 : 1;
}

/**
 * A full disk takes the record, not the result.
 * @param {Parameters<typeof writeGateRecord>} of
 */
function isWritten(...of) {
  try {
    writeGateRecord(...of);
    return true;
  } catch (error) {
    console.error(explain(error));
    return false;
  }
}

/** @param {Result[]} results */
const failuresOf = (results) =>
  results.flatMap(({ file, failures }) => failures.map((failure) => `${file}: ${failure}`));

try {
  await main(process.argv.slice(2));
} catch (error) {
  interruption.abort();
  const { error: cause, exitCode } = outputFailure() ?? { error, exitCode: exitCodeOf(error) };
  console.error(explain(cause));
  console.log("0 passed, 1 failed");
  process.exitCode = exitCode;
}
