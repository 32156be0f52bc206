// npm test: all set-up, then every test. The last line says how many passed.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleTests } from "./bundle-tests.mjs";
import { buildHelper, cargo, cargoEnvironment } from "./build-helper.mjs";
import { run } from "./command.mjs";
import { installEditor } from "./install-editor.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { packageExtension } from "./package-extension.mjs";
import { exitCodeOf, explain } from "./problem.mjs";
import { HELPER_WORKSPACE, ROOT } from "./project.mjs";
import { heading, step } from "./steps.mjs";
import { BUILD_REQUIREMENTS, EDITOR_REQUIREMENTS, ensureSystemPackages, TEST_REQUIREMENTS } from "./system-packages.mjs";
import { cargoCounts, nodeCounts, sum } from "./test-counts.mjs";

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
  await step("extension", async () => ({ said: await packageExtension({ signal }) }));
  await step("editor", async (progress) => ({ said: await installEditor({ signal, progress }) }));
}

/** @returns {Promise<import("./test-counts.mjs").TestCounts>} */
async function rustTests() {
  heading("Rust tests");
  const { code, stdout, stderr } = await run(cargo(), ["test", "--workspace", "--locked", "--no-fail-fast"], {
    cwd: HELPER_WORKSPACE,
    env: cargoEnvironment(),
    signal,
    ...shown,
  });
  return cargoCounts(`${stdout}\n${stderr}`, code);
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
 * @param {string} name
 * @param {string[]} files
 * @param {string[]} [flags]
 * @returns {Promise<import("./test-counts.mjs").TestCounts>}
 */
async function nodeTests(name, files, flags = []) {
  heading(name);
  const reports = mkdtempSync(join(tmpdir(), "extrospect-tests-"));
  const tap = join(reports, "report.tap");
  // People read the first report, the counts come from the second.
  const reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"];
  reporters.push("--test-reporter=tap", `--test-reporter-destination=${tap}`);
  // A test file must not believe it runs below another runner.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  try {
    const { code } = await run(process.execPath, ["--test", ...flags, ...reporters, ...files], { cwd: ROOT, env, signal, ...shown });
    return nodeCounts(existsSync(tap) ? readFileSync(tap, "utf8") : "", code);
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

try {
  await setUp();
  const all = [
    await rustTests(),
    await nodeTests("Unit tests", [...testsIn("test/unit"), ...(await bundleTests("test/unit"))]),
    await nodeTests("Webview tests", testsIn("test/webviews"), ["--test-concurrency=1"]),
    await nodeTests("Oracles", await bundleTests("test/oracles"), ["--test-concurrency=1"]),
    await nodeTests("End-to-end tests", testsIn("test/e2e"), ["--test-concurrency=1"]),
    await nodeTests("Accuracy tests", testsIn("test/accuracy"), ["--test-concurrency=1"]),
    await nodeTests("Editor tests", testsIn("test/editor"), ["--test-concurrency=1"]),
  ];
  const { passed, failed } = sum(all);
  const minutes = (performance.now() / 60_000).toFixed(1);
  console.log(`\nRust ${all[0]?.passed}, unit ${all[1]?.passed}, webviews ${all[2]?.passed}, oracles ${all[3]?.passed}, end-to-end ${all[4]?.passed}, accuracy ${all[5]?.passed}, editor ${all[6]?.passed}; ${minutes} minutes`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  console.error(explain(error));
  console.log("0 passed, 1 failed");
  process.exitCode = exitCodeOf(error);
}
