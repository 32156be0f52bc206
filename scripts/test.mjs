// npm test: all set-up, then every test. The last line says how many passed.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleTests } from "./bundle-tests.mjs";
import { buildForgetfulHelper, buildHelper, cargo, cargoEnvironment } from "./build-helper.mjs";
import { run } from "./command.mjs";
import { installEditor } from "./install-editor.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { packageExtension } from "./package-extension.mjs";
import { exitCodeOf, explain } from "./problem.mjs";
import { HELPER_WORKSPACE, ROOT } from "./project.mjs";
import { heading, step } from "./steps.mjs";
import { BUILD_REQUIREMENTS, EDITOR_REQUIREMENTS, ensureSystemPackages, TEST_REQUIREMENTS } from "./system-packages.mjs";
import { cargoCounts, nodeCounts, sum } from "./test-counts.mjs";
import { cargoFailures, nodeFailures } from "./test-failures.mjs";

const interruption = new AbortController();
const { signal } = interruption;
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => interruption.abort());

const shown = {
  onStdout: (/** @type {string} */ text) => void process.stdout.write(text),
  onStderr: (/** @type {string} */ text) => void process.stdout.write(text),
};

async function setUp() {
  heading("Set-up");
  await step("system packages", async (progress) => ({
    said: await ensureSystemPackages([...BUILD_REQUIREMENTS, ...TEST_REQUIREMENTS, ...EDITOR_REQUIREMENTS], { signal, progress }),
  }));
  await step("npm packages", async () => ({ said: await ensureNpmPackages({ signal }) }));
  await step("helper", async (progress) => ({ said: await buildHelper({ signal, progress }) }));
  await step("helper for tests", async (progress) => ({ said: await buildForgetfulHelper({ signal, progress }) }));
  await step("extension", async () => ({ said: await packageExtension({ signal }) }));
  await step("editor", async (progress) => ({ said: await installEditor({ signal, progress }) }));
}

/** @typedef {{counts: import("./test-counts.mjs").TestCounts, failures: string[]}} Tested */

/** @returns {Promise<Tested>} */
async function rustTests() {
  const { code, stdout, stderr } = await run(cargo(), ["test", "--workspace", "--locked", "--no-fail-fast"], {
    cwd: HELPER_WORKSPACE,
    env: cargoEnvironment(),
    signal,
    ...shown,
  });
  const output = `${stdout}\n${stderr}`;
  return { counts: cargoCounts(output, code), failures: cargoFailures(output) };
}

/**
 * The test files directly in a folder.
 * @param {string} folder
 */
function testsIn(folder) {
  const names = readdirSync(join(ROOT, folder)).filter((file) => file.endsWith(".test.mjs"));
  return names.sort().map((file) => `${folder}/${file}`);
}

/**
 * @param {string[]} files
 * @param {string[]} [flags]
 * @returns {Promise<Tested>}
 */
async function nodeTests(files, flags = []) {
  const reports = mkdtempSync(join(tmpdir(), "extrospect-tests-"));
  const tap = join(reports, "report.tap");
  // People read the first report, the counts come from the second.
  const reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"];
  reporters.push("--test-reporter=tap", `--test-reporter-destination=${tap}`);
  // A test file must not believe it runs below another runner.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  try {
    const { code } = await run(process.execPath, ["--test", ...flags, ...reporters, ...files], { cwd: ROOT, env, signal, ...shown });
    const report = existsSync(tap) ? readFileSync(tap, "utf8") : "";
    return { counts: nodeCounts(report, code), failures: nodeFailures(report) };
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

/** One at a time: they run VMs and measure them. */
const ALONE = ["--test-concurrency=1"];

/** @type {[string, () => Promise<Tested>][]} */
const GROUPS = [
  ["Rust tests", rustTests],
  ["Unit tests", async () => nodeTests([...testsIn("test/unit"), ...(await bundleTests("test/unit"))])],
  ["Webview tests", () => nodeTests(testsIn("test/webviews"), ALONE)],
  ["Oracles", async () => nodeTests(await bundleTests("test/oracles"), ALONE)],
  ["End-to-end tests", () => nodeTests(testsIn("test/e2e"), ALONE)],
  ["Accuracy tests", () => nodeTests(testsIn("test/accuracy"), ALONE)],
  ["Fuzz targets", () => nodeTests(testsIn("test/fuzz"), ALONE)],
  ["Editor tests", () => nodeTests(testsIn("test/editor"), ALONE)],
];

try {
  await setUp();
  const all = [];
  const said = [];
  const failed = [];
  for (const [name, tests] of GROUPS) {
    const began = performance.now();
    heading(name);
    const { counts, failures } = await tests();
    all.push(counts);
    failed.push(...failures.map((failure) => `${name}: ${failure}`));
    said.push(`${name.padEnd(18)} ${String(counts.passed).padStart(4)} passed, ${counts.failed} failed, ${((performance.now() - began) / 1000).toFixed(0)} s`);
  }
  if (failed.length > 0) {
    heading("What failed");
    console.log(failed.join("\n\n"));
  }
  const counts = sum(all);
  console.log(`\n${said.join("\n")}\n${(performance.now() / 60_000).toFixed(1)} minutes`);
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
} catch (error) {
  console.error(explain(error));
  console.log("0 passed, 1 failed");
  process.exitCode = exitCodeOf(error);
}
