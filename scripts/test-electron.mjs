// npm run test:electron: the API tests in a desktop VS Code, downloaded or the one VSCODE_EXECUTABLE names.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleApiTests } from "./bundle-api-tests.mjs";
import { buildEditorModule } from "./build-editor-module.mjs";
import { buildExtension } from "./build-extension.mjs";
import { buildQuickHelper } from "./build-helper.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { exitCodeOf, explain, Problem } from "./problem.mjs";
import { ROOT } from "./project.mjs";
import { step } from "./steps.mjs";
import { BUILD_REQUIREMENTS, DEMO_REQUIREMENTS, ensureSystemPackages } from "./system-packages.mjs";

/** @type {import("../test/editor/api-surroundings.mjs").ApiSurroundings | null} */
let surroundings = null;
try {
  const executable = process.env.VSCODE_EXECUTABLE;
  // Reported before anything is built: downloading would be no answer to a mistyped path.
  if (executable && !existsSync(executable))
    throw new Problem(
      `${executable} is missing`,
      "VSCODE_EXECUTABLE names it",
      "VSCODE_EXECUTABLE=/path/to/code npm run test:electron",
    );
  await step("system packages", async (progress) => ({
    outcome: await ensureSystemPackages([...BUILD_REQUIREMENTS, ...DEMO_REQUIREMENTS], { progress }),
  }));
  await step("npm packages", async () => ({ outcome: await ensureNpmPackages() }));
  // Before the helper: building it takes long, and would be for nothing.
  const vscodeExecutablePath = executable ? executable : await downloaded();
  await step("helper", async (progress) => ({ outcome: await buildQuickHelper({ progress }) }));
  await step("editor module", async () => ({ outcome: await buildEditorModule({ profile: "quick" }) }));
  await step("extension", async () => ({ outcome: await buildExtension() }));
  const { runTests } = await import("@vscode/test-electron");
  const tests = await bundleApiTests();
  // Only now: it needs npm packages.
  const { apiSurroundings } = await import("../test/editor/api-surroundings.mjs");
  surroundings = apiSurroundings();
  for (const suite of surroundings.suites) {
    const userData = mkdtempSync(join(tmpdir(), "extrospect-electron-"));
    try {
      await runTests({
        vscodeExecutablePath,
        extensionDevelopmentPath: ROOT,
        extensionTestsPath: tests,
        extensionTestsEnv: await surroundings.environment(suite),
        // Chromium's sandbox refuses root; attaching mostly needs it.
        launchArgs: [
          suite.folder,
          "--disable-extensions",
          "--disable-workspace-trust",
          "--user-data-dir",
          userData,
          ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
        ],
      });
    } catch (error) {
      throw new Problem(
        `the tests in VS Code did not pass (${suite.name})`,
        error instanceof Error ? error.message : String(error),
        "see the failures above; npm test runs the same tests in a browser",
      );
    } finally {
      rmSync(userData, { recursive: true, force: true });
    }
  }
} catch (error) {
  console.error(explain(error));
  process.exitCode = exitCodeOf(error);
} finally {
  await surroundings?.remove();
}

/** @returns {Promise<string>} the program */
async function downloaded() {
  const { downloadAndUnzipVSCode } = await import("@vscode/test-electron");
  try {
    return await downloadAndUnzipVSCode();
  } catch (error) {
    throw new Problem(
      "VS Code cannot be downloaded, and VSCODE_EXECUTABLE is not set",
      error instanceof Error ? error.message : String(error),
      "VSCODE_EXECUTABLE=/path/to/code npm run test:electron",
    );
  }
}
