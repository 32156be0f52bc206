// Runs cargo's and node's tests and counts them.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cargo, cargoEnvironment } from "./cargo.mjs";
import { run } from "./command.mjs";
import { HELPER_WORKSPACE, ROOT } from "./project.mjs";
import { cargoCounts, nodeCounts } from "./test-counts.mjs";
import { cargoFailures, nodeFailures } from "./test-failures.mjs";

/**
 * @typedef {object} Tested
 * @property {import("./test-counts.mjs").TestCounts} counts
 * @property {string[]} failures   one text per failed test
 *
 * @typedef {object} Running
 * @property {AbortSignal} signal
 * @property {(text: string) => void} show   takes what the runner prints
 */

/** What every `cargo test` here has; with `--no-run` before the tests it only compiles. */
const CARGO_TEST = ["test", "--workspace", "--locked"];

/**
 * @param {Running} running
 * @param {{targets?: string[], skipped?: string[]}} [part]   flags of cargo that choose test programs, and names of tests to leave out
 * @returns {Promise<Tested>}
 */
export async function cargoTests({ signal, show }, { targets = [], skipped = [] } = {}) {
  const skips = skipped.flatMap((name) => ["--skip", name]);
  const { code, stdout, stderr } = await run(cargo(), [...CARGO_TEST, "--no-fail-fast", ...targets, "--", ...skips], {
    cwd: HELPER_WORKSPACE,
    env: cargoEnvironment(),
    signal,
    onStdout: show,
    onStderr: show,
  });
  const output = `${stdout}\n${stderr}`;
  return { counts: cargoCounts(output, code), failures: cargoFailures(output) };
}

/**
 * Compiles the Rust tests, so that running them later takes no compiler. What does not compile is told then.
 * @param {{signal: AbortSignal, progress: (text: string) => void}} options
 */
export async function compileCargoTests({ signal, progress }) {
  const { code } = await run(cargo(), [...CARGO_TEST, "--no-run"], {
    cwd: HELPER_WORKSPACE,
    env: cargoEnvironment(),
    signal,
    onStderr: (text) => progress(text.trim().split("\n").at(-1)?.trim() ?? ""),
  });
  return code === 0 ? "compiled" : "did not compile: see the Rust tests";
}

/**
 * The test files directly in a folder.
 * @param {string} folder
 */
export function testsIn(folder) {
  const names = readdirSync(join(ROOT, folder)).filter((file) => file.endsWith(".test.mjs"));
  return names.sort().map((file) => `${folder}/${file}`);
}

/**
 * @param {Running} running
 * @param {string[]} files
 * @param {string[]} [flags]
 * @returns {Promise<Tested>}
 */
export async function nodeTests({ signal, show }, files, flags = []) {
  const reports = mkdtempSync(join(tmpdir(), "extrospect-tests-"));
  const tap = join(reports, "report.tap");
  // People read the first report, the counts come from the second.
  const reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"];
  reporters.push("--test-reporter=tap", `--test-reporter-destination=${tap}`);
  // A test file must not believe it runs below another runner.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  try {
    const { code } = await run(process.execPath, ["--test", ...flags, ...reporters, ...files], { cwd: ROOT, env, signal, onStdout: show, onStderr: show });
    const report = existsSync(tap) ? readFileSync(tap, "utf8") : "";
    return { counts: nodeCounts(report, code), failures: nodeFailures(report) };
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}
