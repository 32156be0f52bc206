// The API tests in the extension host of VS Code in the browser: the same that `npm run test:electron` runs in a desktop one.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { format } from "node:util";
import { bundleApiTests } from "../../scripts/bundle-api-tests.mjs";
import { startDemo } from "../../scripts/demo-vm.mjs";
import { ROOT } from "../../scripts/project.mjs";
import { demoWorkspace } from "./demo-workspace.mjs";
import { startEditor } from "./editor.mjs";

const RUN_PATIENCE_MS = 5 * 60_000;

describe("API tests", () => {
  const folder = demoWorkspace();
  const resultFile = join(tmpdir(), `extrospect-api-${process.pid}.json`);
  /** @type {import("../../scripts/demo-vm.mjs").Demo} */
  let demo;
  before(async () => {
    demo = await startDemo();
  });
  after(async () => {
    await demo?.stop();
    rmSync(folder, { recursive: true, force: true });
    rmSync(resultFile, { force: true });
  });

  test("all of them", { timeout: RUN_PATIENCE_MS }, async (context) => {
    const tests = await bundleApiTests();
    /** @type {(code: number) => void} */
    let exited = () => {};
    const exit = new Promise((/** @type {(code: number | string) => void} */ resolve) => {
      exited = resolve;
      setTimeout(() => resolve("nothing said within 4 minutes"), RUN_PATIENCE_MS - 60_000).unref();
    });
    /** @type {string[]} */
    const said = [];
    const remote = (/** @type {string} */ path) => `vscode-remote://{AUTHORITY}${path}`;
    const editor = await startEditor({
      folder,
      // A built workbench runs no tests unless it is told that it may.
      serverArgs: ["--vscode-option", "enable-smoke-test-driver"],
      env: { EXTROSPECT_API_RESULTS: resultFile, EXTROSPECT_DEMO_PID: String(demo.pid) },
      payload: [["extensionDevelopmentPath", remote(ROOT)], ["extensionTestsPath", remote(tests)], ["skipWelcome", "true"]],
      beforeLoad: async (page) => {
        await page.exposeFunction("codeAutomationLog", (/** @type {string} */ _type, /** @type {unknown[]} */ args) => said.push(format(...args)));
        await page.exposeFunction("codeAutomationExit", (/** @type {number} */ code) => exited(code));
      },
    });
    try {
      const code = await exit;
      /** @type {import("./api/index.js").ApiTestResult[]} */
      const results = existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, "utf8")) : [];
      // The workbench's own words matter only to whoever looks for a reason.
      for (const line of code === 0 ? said.filter((text) => text.startsWith("live refresh")) : said) context.diagnostic(line);
      if (code !== 0) await editor.keepEvidence("API tests");
      for (const { title, error } of results) {
        await context.test(title, () => {
          if (error !== undefined) assert.fail(error);
        });
      }
      assert.ok(results.length > 5, `${results.length} results`);
      assert.equal(code, 0);
    } finally {
      await editor.stop();
    }
  });
});
