// Runs one test file, or one test program of Rust, and counts its tests.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { cargo, cargoEnvironment } from "./cargo.mjs";
import { lastLines, run } from "./command.mjs";
import { Problem } from "./problem.mjs";
import { childSeconds, TIMED_COMMAND } from "./processor-seconds.mjs";
import { HELPER_TARGET, HELPER_WORKSPACE, ROOT } from "./project.mjs";
import { nodeCounts, rustCounts } from "./test-counts.mjs";
import { nodeFailures, rustFailures } from "./test-failures.mjs";

/**
 * @typedef {object} Tested
 * @property {import("./test-counts.mjs").TestCounts} counts
 * @property {string[]} failures         one text per failed test
 * @property {number | null} cpuSeconds  null when it died before it could count
 * @property {string} output             the part that people read
 * @property {string} [report]           of Node's TAP reporter
 */

/** A file that still runs then hangs. It is ended and has failed; the others go on. */
const LONGEST_MS = 20 * 60_000;
/** Set where `npm test` has made all that tests need: a file that runs by itself makes it. */
export const IS_SET_UP = "EXTROSPECT_TESTS_ARE_SET_UP";
const OWN_PROCESSOR_TIME = join(ROOT, "scripts/test-processor-time.mjs");

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
 * @param {AbortSignal} signal
 * @returns {Promise<Tested & {report: string}>}
 */
export async function nodeTest(file, signal) {
  // People read the first report, the counts come from the second.
  const reporters = (/** @type {string} */ folder) => [
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    "--test-reporter=tap",
    `--test-reporter-destination=${join(folder, "report.tap")}`,
  ];
  // A test file must not believe it runs below another runner.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  return inFolder(async (folder) => {
    const args = ["--import", OWN_PROCESSOR_TIME, ...reporters(folder), ...[file].flat()];
    const cpu = join(folder, "cpu");
    const { code, output } = await limited(process.execPath, args, {
      cwd: ROOT,
      env: { ...env, [IS_SET_UP]: "yes", EXTROSPECT_TEST_PROCESSOR_TIME: cpu },
      signal,
    });
    const report = textOf(join(folder, "report.tap"));
    const cpuSeconds = existsSync(cpu) ? Number(textOf(cpu)) : null;
    return {
      ...withCrash(nodeCounts(report, code), nodeFailures(report), output, code),
      cpuSeconds,
      output: withoutSummary(output),
      report,
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
 * The arguments of every build of Rust tests. No crate has tests in its comments: test/unit/run-tests.test.mjs.
 */
const CARGO_TEST = ["test", "--workspace", "--locked", "--no-run"];
const ALL_TARGETS = ["--lib", "--bins", "--tests"];

/**
 * Compiles the Rust tests.
 * @param {{signal: AbortSignal, progress?: (text: string) => void, targets?: string[]}} options
 * @returns {Promise<RustProgram[]>}
 */
export async function rustPrograms({ signal, progress, targets = ALL_TARGETS }) {
  const { code, stdout, stderr } = await run(
    cargo(),
    [...CARGO_TEST, ...targets, "--message-format=json-render-diagnostics"],
    {
      cwd: HELPER_WORKSPACE,
      env: { ...cargoEnvironment(), ...(worksHere() ? {} : { CARGO_INCREMENTAL: "0" }) },
      signal,
      onStderr: (text) => progress?.(lastLines(text, 1).trim()),
    },
  );
  if (code !== 0)
    throw new Problem(
      "the Rust tests do not compile",
      firstError(stderr),
      "cd native-helper && cargo test --workspace --locked --no-run",
    );
  return stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter(({ reason, executable, profile }) => reason === "compiler-artifact" && executable && profile.test)
    .map(({ executable, manifest_path: manifest, target }) => ({
      file: relative(ROOT, target.src_path),
      program: executable,
      crate: dirname(manifest),
    }));
}

/**
 * Whether tests are compiled by `cargo test` in this clone. Only then is there a next build that uses cargo's
 * incremental files.
 */
const worksHere = () => existsSync(join(HELPER_WORKSPACE, "target", HELPER_TARGET, "debug/incremental"));

/** @param {string} stderr */
function firstError(stderr) {
  return /^error(\[E\d+\])?: [\s\S]*?(?=\n\n|$(?![\s\S]))/m.exec(stderr)?.[0] ?? lastLines(stderr);
}

/**
 * @param {RustProgram} program
 * @param {AbortSignal} signal
 * @returns {Promise<Tested>}
 */
export async function rustTest({ program, crate }, signal) {
  return inFolder(async (folder) => {
    const times = join(folder, "times");
    const env = { ...cargoEnvironment(), CARGO_MANIFEST_DIR: crate };
    const { code, output } = await limited("/bin/sh", ["-c", TIMED_COMMAND, "sh", times, program], {
      cwd: crate,
      env,
      signal,
    });
    const cpuSeconds = existsSync(times) ? childSeconds(textOf(times)) : null;
    return { ...withCrash(rustCounts(output, code), rustFailures(output), output, code), cpuSeconds, output };
  });
}

/**
 * Runs a program to its end, or to the end of patience.
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd: string, env: NodeJS.ProcessEnv, signal: AbortSignal}} options
 * @returns {Promise<{code: number, output: string}>}
 */
async function limited(command, args, { cwd, env, signal }) {
  let output = "";
  const show = (/** @type {string} */ text) => void (output += text);
  const { code, endedByUs } = await run(command, args, {
    cwd,
    env,
    signal,
    longestMs: LONGEST_MS,
    onStdout: show,
    onStderr: show,
  });
  return { code, output: endedByUs ? `${output}\nended after ${LONGEST_MS / 60_000} minutes` : output };
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
  return { counts, failures: [`it ended with exit code ${code}\n${lastLines(output)}`] };
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

/** @template T @param {(folder: string) => Promise<T>} work @returns {Promise<T>} */
async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-tests-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} path */
const textOf = (path) => (existsSync(path) ? readFileSync(path, "utf8") : "");
