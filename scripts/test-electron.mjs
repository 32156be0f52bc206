// npm run test:electron: the API tests in a desktop VS Code, downloaded or the one VSCODE_EXECUTABLE names.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleApiTests } from "./bundle-api-tests.mjs";
import { buildExtension } from "./build-extension.mjs";
import { buildHelper } from "./build-helper.mjs";
import { startDemo } from "./demo-vm.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { exitCodeOf, explain, Problem } from "./problem.mjs";
import { ROOT } from "./project.mjs";
import { step } from "./steps.mjs";
import { BUILD_REQUIREMENTS, DEMO_REQUIREMENTS, ensureSystemPackages } from "./system-packages.mjs";
import { demoWorkspace } from "../test/editor/demo-workspace.mjs";

/** @type {import("./demo-vm.mjs").Demo | null} */
let demo = null;
const folder = demoWorkspace();
const userData = mkdtempSync(join(tmpdir(), "extrospect-electron-"));
try {
  await step("system packages", async (progress) => ({ said: await ensureSystemPackages([...BUILD_REQUIREMENTS, ...DEMO_REQUIREMENTS], { progress }) }));
  await step("npm packages", async () => ({ said: await ensureNpmPackages() }));
  await step("helper", async (progress) => ({ said: await buildHelper({ progress }) }));
  await step("extension", async () => ({ said: await buildExtension() }));
  const { runTests } = await import("@vscode/test-electron");
  const tests = await bundleApiTests();
  demo = await startDemo();
  const executable = process.env.VSCODE_EXECUTABLE;
  const isRoot = process.getuid?.() === 0;
  try {
    await runTests({
      ...(executable ? { vscodeExecutablePath: executable } : {}),
      extensionDevelopmentPath: ROOT,
      extensionTestsPath: tests,
      extensionTestsEnv: { EXTROSPECT_DEMO_PID: String(demo.pid) },
      // Chromium's sandbox refuses root; attaching mostly needs it.
      launchArgs: [folder, "--disable-extensions", "--disable-workspace-trust", "--user-data-dir", userData, ...(isRoot ? ["--no-sandbox"] : [])],
    });
  } catch (error) {
    throw new Problem("the tests in VS Code did not pass", error instanceof Error ? error.message : String(error), "VSCODE_EXECUTABLE=/path/to/code npm run test:electron   where it cannot be downloaded");
  }
} catch (error) {
  console.error(explain(error));
  process.exitCode = exitCodeOf(error);
} finally {
  await demo?.stop();
  rmSync(folder, { recursive: true, force: true });
  rmSync(userData, { recursive: true, force: true });
}
