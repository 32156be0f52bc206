// Test files that share a process: most of them take less time than the start of Node.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledFile } from "./bundle-tests.mjs";
import { nodeTest, textOf } from "./run-tests.mjs";
import { inTemporaryFolder } from "./temporary-folder.mjs";
import { nodeFailures } from "./test-failures.mjs";
import { isSkipped, nodeSkips, unescaped, withReasons } from "./test-skips.mjs";

/**
 * @typedef {import("./test-groups.mjs").TestFile} TestFile
 * @typedef {import("./run-tests.mjs").Tested} Tested
 * @typedef {import("./run-tests.mjs").FailedProcess} FailedProcess
 * @typedef {Parameters<TestFile["run"]>[0]} Running
 */

const PROGRAM = fileURLToPath(new URL("shared-tests-program.mjs", import.meta.url));

/**
 * Each file has its own result and time, as if it ran by itself; the processor time of a process is that of the first of
 * its files that is run, which runs all of them. A file that is run once more runs alone; so does one that has no result
 * since the process failed, which its result states (`failedProcess`).
 * @param {string[][]} parts   paths from the root, by process
 * @returns {TestFile[]} neighbours are in different processes, so that these run at the same time
 */
export function sharedTests(parts) {
  const processes = parts.map(startedOnce);
  const places = parts.flatMap((files, part) => files.map((file, index) => ({ file, part, index })));
  places.sort((a, b) => a.index - b.index || a.part - b.part);
  return places.map(({ file, part }) => {
    let hasRun = false;
    return {
      file,
      run: async (running) => {
        const shared = hasRun ? undefined : await processes[part]?.(running);
        hasRun = true;
        const result = shared?.results.get(file);
        if (result !== undefined) return result;
        const alone = await nodeTest(file.endsWith(".ts") ? bundledFile(file) : file, running);
        return shared?.failed === undefined ? alone : { ...alone, failedProcess: shared.failed };
      },
    };
  });
}

/**
 * @typedef {{results: Map<string, Tested>, failed?: FailedProcess | undefined}} Shared
 * @typedef {Omit<Tested, "report" | "output"> & {code: number, ranLast: string}} Whole   `ranLast`: the file that ran at its end
 */

/** @param {string[]} files @returns {(running: Running) => Promise<Shared>} */
function startedOnce(files) {
  /** @type {Promise<Shared> | undefined} */
  let results;
  return (running) =>
    (results ??= inTemporaryFolder(async (folder) => {
      const note = join(folder, "running");
      const { report, output, ...whole } = await nodeTest([PROGRAM, note, ...files], running);
      return resultsOf(files, report, output, { ...whole, ranLast: textOf(note) });
    }));
}

/**
 * @param {string[]} files
 * @param {string} report   of the TAP reporter
 * @param {string} output   of the spec reporter
 * @param {Whole} process
 * @returns {Shared} where the process has a fault that no test has, the results of those files alone that failed
 */
export function resultsOf(files, report, output, { code, ranLast, ...whole }) {
  const reports = sections(report, /^# Subtest: (.+)$/gm, unescaped);
  const outputs = sections(output, /^[▶✔✖] (.+?\.test\.(?:ts|mjs))(?: .*)?$/gm);
  const results = new Map(
    files.flatMap((file) => {
      const section = reports.get(file);
      if (section === undefined || !HAS_ENDED.test(section)) return [];
      const failures = nodeFailures(section);
      const counts = countsOf(section, failures.length);
      const ownSeconds = Number(DURATION.exec(section)?.[1] ?? 0) / 1000;
      const own = { counts, failures, skipped: nodeSkips(section), ownSeconds, report: section };
      return [[file, { ...whole, ...own, output: outputs.get(file) ?? "" }]];
    }),
  );
  const failed = [...results].filter(([, { counts }]) => counts.failed > 0);
  const hasEnded = results.size === files.length;
  const isExplained = failed.length > 0 ? code <= 1 : whole.counts.failed === 0;
  if (hasEnded && isExplained && !AFTER_ITS_TEST.test(report)) return { results };
  // Any of the others may have the fault: only the files that failed by themselves have a result.
  const others = files.filter((file) => !failed.some(([name]) => name === file));
  const process = { output, code, ranLast: hasEnded ? "" : ranLast };
  return { results: new Map(failed), failed: failedProcess(files, others, process) };
}

/**
 * @param {string[]} files
 * @param {string[]} without   a result that counts
 * @param {Pick<Whole, "code" | "ranLast"> & {output: string}} process
 * @returns {FailedProcess}
 */
function failedProcess(files, without, { code, ranLast, output }) {
  const isKnown = without.includes(ranLast);
  const name = isKnown ? ranLast : `the process of ${files[0]} and ${files.length - 1} more`;
  const failure = `${isKnown ? "it ran when " : ""}a process of ${files.length} files ended with exit code ${code}; ${without.length} of them ran alone then`;
  return { name, failure, output };
}

/**
 * The processes that failed though the file that ran then, or where that is not known each of their files, passes alone:
 * as unstable as a file that does. One that fails alone explains the end of its process.
 * @template {{file: string, counts: import("./test-counts.mjs").TestCounts, failures: string[], output: string, failedProcess?: FailedProcess | undefined}} Result
 * @param {Result[]} results   the first ones of all files
 * @returns {{first: Result, second: Result}[]} by process, its end and a file that passed alone
 */
export function unstableProcesses(results) {
  const processes = new Set(results.flatMap(({ failedProcess: failed }) => failed ?? []));
  return [...processes].flatMap((failed) => {
    const alone = results.filter(({ failedProcess: of }) => of === failed);
    const [any] = alone;
    const named = alone.find(({ file }) => file === failed.name);
    const second = named ?? any;
    if (second === undefined || (named ? [named] : alone).some(({ counts }) => counts.failed > 0)) return [];
    const first = { ...second, file: failed.name, failures: [failed.failure], output: failed.output };
    return [{ first: { ...first, counts: { passed: 0, failed: 1 } }, second }];
  });
}

/** An assertion that no test awaits: its test has passed, and Node reports it for the whole process. */
const AFTER_ITS_TEST = /^# (?:Error|Warning): .*asynchronous activity after the test ended/m;
/** The line of a file's own result. */
const HAS_ENDED = /^(not )?ok \d+ - /m;
/** Milliseconds, of that line. */
const DURATION = /^(?:not )?ok \d+ - .*\n {2}---\n {2}duration_ms: ([\d.]+)$/m;

/**
 * The text from the first line with each name to the next one.
 * @param {string} text @param {RegExp} begin   its first group is the name
 * @param {(name: string) => string} [meant]   by it
 */
function sections(text, begin, meant = (name) => name) {
  /** @type {Map<string, string>} */
  const found = new Map();
  const begins = [...text.matchAll(begin)].filter(
    ([, name], index, all) => all.findIndex(([, other]) => other === name) === index,
  );
  for (const [index, match] of begins.entries())
    found.set(meant(match[1] ?? ""), text.slice(match.index, begins[index + 1]?.index));
  return found;
}

/** @param {string} section @param {number} failures */
function countsOf(section, failures) {
  const counts = { passed: 0, failed: 0 };
  for (const [, indent = "", not, title = "", details = ""] of section.matchAll(
    /^( *)(not )?ok \d+ - (.*)\n((?:\1 {2}.*\n|\n)*)/gm,
  )) {
    if (isSkipped(title)) continue;
    if (details.split("\n").includes(`${indent}  type: 'suite'`)) continue;
    counts[not === undefined ? "passed" : "failed"] += 1;
  }
  // A file that does not load is a suite that fails; one that runs nothing has failed.
  const ranNothing = counts.passed + counts.failed === 0 && !withReasons(nodeSkips(section));
  if (counts.failed === 0 && (failures > 0 || ranNothing)) counts.failed = 1;
  return counts;
}
