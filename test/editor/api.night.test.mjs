// The API tests in the extension host of VS Code in the browser: the same that `npm run test:electron` runs in a desktop one.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { format } from "node:util";
import { bundleApiTests } from "../../scripts/bundle-api-tests.mjs";
import { ROOT } from "../../scripts/project.mjs";
import { apiSurroundings } from "./api-surroundings.mjs";
import { startEditor } from "./editor.mjs";

const RUN_PATIENCE_MS = 20 * 60_000;
const EXIT_PATIENCE_MS = RUN_PATIENCE_MS - 60_000;
/** Lines of the tests with a measured figure begin so. */
const MEASURED = "measured: ";

/** @typedef {import("./api-surroundings.mjs").ApiSuite} ApiSuite */

describe("API tests", () => {
  /** @type {import("./api-surroundings.mjs").ApiSurroundings} */
  let surroundings;
  /** @type {string} */
  let tests;
  before(async () => {
    tests = await bundleApiTests();
    surroundings = apiSurroundings();
  });
  after(async () => surroundings?.remove());

  for (const [index, name, least] of /** @type {const} */ ([
    [0, "plain-folder", 3],
    [1, "demo-project", 62],
  ])) {
    test(`in the ${name}`, { timeout: RUN_PATIENCE_MS }, async (context) => {
      const suite = surroundings.suites[index];
      assert.equal(suite?.name, name);
      const { code, results, said, evidence } = await runSuite(suite);
      for (const line of code === 0 ? said.filter((text) => text.startsWith(MEASURED)) : said) context.diagnostic(line);
      for (const { title, error } of results) {
        await context.test(title, () => {
          if (error !== undefined) assert.fail(error);
        });
      }
      assert.ok(results.length >= least, `only ${results.length} results; ${evidence}`);
      assert.equal(code, 0, evidence);
    });
  }

  /** @param {ApiSuite} suite */
  async function runSuite(suite) {
    const resultFile = join(tmpdir(), `extrospect-api-${suite.name}-${process.pid}.json`);
    /** @type {(code: number | string) => void} */
    let exited = () => {};
    const exit = new Promise((/** @type {(code: number | string) => void} */ resolve) => {
      exited = resolve;
    });
    const patience = setTimeout(() => exited(`nothing said within ${EXIT_PATIENCE_MS / 1000} s`), EXIT_PATIENCE_MS);
    /** @type {string[]} */
    const said = [];
    const remote = (/** @type {string} */ path) => `vscode-remote://{AUTHORITY}${path}`;
    const editor = await startEditor({
      folder: suite.folder,
      // The text that a slow test typed would be saved by itself before the test takes it back.
      settings: { "files.autoSave": "off" },
      // A built workbench runs no tests without this permission.
      serverArgs: ["--enable-smoke-test-driver"],
      env: { ...(await surroundings.environment(suite)), EXTROSPECT_API_RESULTS: resultFile },
      payload: [
        ["extensionDevelopmentPath", remote(ROOT)],
        ["extensionTestsPath", remote(tests)],
        ["skipWelcome", "true"],
      ],
      beforeLoad: async (page) => {
        await page.exposeFunction("codeAutomationLog", (/** @type {string} */ _type, /** @type {unknown[]} */ args) =>
          said.push(format(...args)),
        );
        await page.exposeFunction("codeAutomationExit", (/** @type {number} */ code) => exited(code));
      },
    });
    try {
      const code = await exit;
      /** @type {import("./api/index.js").ApiTestResult[]} */
      const results = existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, "utf8")) : [];
      if (code !== 0) await editor.keepEvidence(`API tests ${suite.name}`);
      return { code, results, said, evidence: said.slice(-5).join("\n") };
    } finally {
      clearTimeout(patience);
      rmSync(resultFile, { force: true });
      await editor.stop();
    }
  }
});
