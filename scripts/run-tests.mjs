// Runs one test file, or one test program of Rust, and counts its tests.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { cargoEnvironment, runCargo, testCargoEnvironment } from "./cargo.mjs";
import { lastLines, run } from "./command.mjs";
import { LONGEST_FILE_MS } from "./patience.mjs";
import { Problem } from "./problem.mjs";
import { marked } from "./process-watch.mjs";
import { HELPER_WORKSPACE, ROOT } from "./project.mjs";
import { nodeCounts, rustCounts } from "./test-counts.mjs";
import { folderOfFile, inTemporaryFolder } from "./temporary-folder.mjs";
import { nodeFailures, rustFailures } from "./test-failures.mjs";
import { nodeSkips, rustSkips } from "./test-skips.mjs";

/**
 * @typedef {object} Tested
 * @property {import("./test-counts.mjs").TestCounts} counts
 * @property {string[]} failures         one text per failed test
 * @property {string[]} [skipped]        the name and the reason of each test that proves nothing
 * @property {string} output             the part that people read
 * @property {string} [report]           of Node's TAP reporter
 * @property {number} [ownSeconds]       of a file that shared its process with others
 * @property {FailedProcess} [failedProcess]   that it shared, before it ran alone
 *
 * A process of several files that failed in a way that no test has. Each file that did not fail itself runs alone: if all of them
 * pass, chance decided.
 * @typedef {object} FailedProcess
 * @property {string} name      of the file that ran when it ended; where that is not known, of the process
 * @property {string} failure
 * @property {string} output    of all its files
 */

/**
 * How a file runs.
 * @typedef {object} Running
 * @property {AbortSignal} signal
 * @property {number} [nice]
 * @property {(pid: number, mark: string) => void} [onStart]   of each process that runs the file; its mark: process-watch.mjs
 * @property {number} [longestMs]
 */

/** Set where `npm test` has made all that tests need: a file that runs by itself makes it. */
export const IS_SET_UP = "EXTROSPECT_TESTS_ARE_SET_UP";

/**
 * The test files directly in a folder.
 * @param {string} folder
 */
export function testsIn(folder) {
  const names = readdirSync(join(ROOT, folder)).filter((file) => file.endsWith(".test.mjs"));
  return names.sort().map((file) => `${folder}/${file}`);
}

/**
 * @param {string | string[]} file   path from the root; or a program and its arguments
 * @param {Running} running
 * @returns {Promise<Tested & {report: string, code: number}>}
 */
export async function nodeTest(file, running) {
  // People read the first report, the counts come from the second.
  const reporters = (/** @type {string} */ folder) => [
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    "--test-reporter=tap",
    `--test-reporter-destination=${join(folder, "report.tap")}`,
  ];
  // A test file must not believe it runs below another runner.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  return inTemporaryFolder(async (folder) => {
    const { code, output } = await limited(process.execPath, [...reporters(folder), ...[file].flat()], {
      cwd: ROOT,
      // What a killed file has left there goes, too.
      env: { ...env, TMPDIR: folderOfFile(folder), [IS_SET_UP]: "yes" },
      ...running,
    });
    const report = textOf(join(folder, "report.tap"));
    return {
      ...withCrash(nodeCounts(report, code), nodeFailures(report), output, code),
      skipped: nodeSkips(report),
      output: withoutSummary(output),
      report,
      code,
    };
  });
}

/**
 * A test program of Rust.
 * @typedef {object} RustProgram
 * @property {string} file      its first source file, as a path from the root
 * @property {string} program   compiled
 * @property {string} crate     folder in which it runs
 */

/**
 * The arguments of every build of Rust tests: another choice of packages has other features, and compiles all crates
 * anew. No crate has tests in its comments: test/unit/run-tests.test.mjs.
 */
export const CARGO_TEST = ["test", "--workspace", "--locked", "--no-run", "--message-format=json-render-diagnostics"];
/** Libraries and programs included, except for those that have no tests (`test = false` in their manifests). */
const ALL_TARGETS = ["--tests"];

/** @type {Map<string, Promise<RustProgram[]>>} */
const compiled = new Map();

/**
 * Compiles the Rust tests, once in this process.
 * @param {{signal: AbortSignal, progress?: (text: string) => void, targets?: string[], workspace?: string}} options
 * @returns {Promise<RustProgram[]>}
 */
export function rustPrograms({ signal, progress, targets = ALL_TARGETS, workspace = HELPER_WORKSPACE }) {
  const key = [workspace, ...targets].join("\0");
  const programs = compiled.get(key) ?? compileTests({ signal, progress, targets, workspace });
  compiled.set(key, programs);
  return programs;
}

/**
 * @param {{signal: AbortSignal, progress: ((text: string) => void) | undefined, targets: string[], workspace: string}} options
 * @returns {Promise<RustProgram[]>}
 */
async function compileTests({ signal, progress, targets, workspace }) {
  const { code, stdout, stderr } = await runCargo([...CARGO_TEST, ...targets], {
    cwd: workspace,
    env: testCargoEnvironment(workspace),
    signal,
    onStderr: (text) => progress?.(lastLines(text, 1).trim()),
  });
  if (code !== 0)
    throw new Problem(
      "the Rust tests do not compile",
      firstError(stderr),
      "cd native-helper && cargo test --workspace --locked --no-run",
    );
  return artifacts(stdout)
    .filter(({ executable, profile }) => executable && profile.test)
    .map(({ executable, manifest_path: manifest, target }) => ({
      file: relative(ROOT, target.src_path),
      program: executable,
      crate: dirname(manifest),
    }));
}

/**
 * The files that cargo compiled or found compiled.
 * @param {string} stdout   with `--message-format=json`
 * @returns {any[]}
 */
export function artifacts(stdout) {
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line)).filter(({ reason }) => reason === "compiler-artifact");
}

/** @param {string} stderr */
function firstError(stderr) {
  return /^error(\[E\d+\])?: [\s\S]*?(?=\n\n|$(?![\s\S]))/m.exec(stderr)?.[0] ?? lastLines(stderr);
}

/**
 * @param {RustProgram} program
 * @param {Running} running
 * @returns {Promise<Tested>}
 */
export async function rustTest({ program, crate }, running) {
  const env = { ...cargoEnvironment(), CARGO_MANIFEST_DIR: crate };
  const { code, output } = await limited(program, [], { cwd: crate, env, ...running });
  return {
    ...withCrash(rustCounts(output, code), rustFailures(output), output, code),
    skipped: rustSkips(output),
    output,
  };
}

/**
 * Runs a program to its end, or to the end of patience.
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd: string, env: NodeJS.ProcessEnv} & Running} options
 * @returns {Promise<{code: number, output: string}>}
 */
async function limited(command, args, options) {
  let output = "";
  const show = (/** @type {string} */ text) => void (output += text);
  const { longestMs = LONGEST_FILE_MS, onStart } = options;
  const { env, mark } = marked(options.env);
  const { code, endedByUs } = await run(command, args, {
    ...options,
    env,
    longestMs,
    onStart: (pid) => onStart?.(pid, mark),
    onStdout: show,
    onStderr: show,
  });
  return { code, output: endedByUs ? `${output}\nended after ${longestMs / 60_000} minutes` : output };
}

/**
 * The end of the output describes a file that crashed without a failed test.
 * @param {import("./test-counts.mjs").TestCounts} counts
 * @param {string[]} failures
 * @param {string} output
 * @param {number} code
 */
function withCrash(counts, failures, output, code) {
  if (counts.failed === 0 || failures.length > 0) return { counts, failures };
  const end = code === 0 ? "it printed no result" : `it ended with exit code ${code}`;
  return { counts, failures: [[end, lastLines(output)].filter(Boolean).join("\n")] };
}

/**
 * The output of the spec reporter without its end: the counts, and the failures once more, which are at the end of the
 * whole run.
 * @param {string} output
 */
function withoutSummary(output) {
  const at = output.search(/^ℹ tests \d+$/m);
  return at < 0 ? output : output.slice(0, at);
}

/** @param {string} path   of a file that may be missing */
export const textOf = (path) => (existsSync(path) ? readFileSync(path, "utf8") : "");
