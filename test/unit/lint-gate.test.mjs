// The rules for test files that `npm test` runs find what load decides, and accept the rest.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, test } from "node:test";
import { ESLint, Linter } from "eslint";
import { gateFiles } from "../../scripts/lint/gate-files.mjs";
import { GATE_RULES } from "../../scripts/lint/gate-tests.mjs";

const RULES = Object.fromEntries(Object.keys(GATE_RULES).map((name) => [`gate/${name}`, "error"]));

/** @param {string} text @param {import("eslint").Linter.RulesRecord} [rules] @returns {string[]} the rules that it breaks */
function broken(text, rules = {}) {
  const messages = new Linter().verify(text, {
    languageOptions: { ecmaVersion: "latest", sourceType: "module" },
    plugins: { gate: { rules: GATE_RULES } },
    rules: { .../** @type {import("eslint").Linter.RulesRecord} */ (RULES), ...rules },
  });
  assert.deepEqual(
    messages.filter(({ fatal }) => fatal).map(({ message }) => message),
    [],
    text,
  );
  return messages.map(({ ruleId }) => (ruleId ?? "").replace("gate/", ""));
}

/** @type {Record<keyof typeof GATE_RULES, {found: string[], left: string[]}>} */
const EXAMPLES = {
  "own-limit": {
    found: [
      `await until("it is there", () => true, 5_000);`,
      `await waiting.until("it is there", () => true, SHORT_MS);`,
      `await button.click({ timeout: 500 });`,
      `test("a name", { timeout: LIMIT_MS }, async () => {});`,
      `page.setDefaultTimeout(10_000);`,
      `await fetch(address, { signal: AbortSignal.timeout(1_000) });`,
      `await helperJson(["ps", pid], { timeoutMs: 600_000 });`,
      `import { PATIENCE_MS } from "./mine.mjs"; page.setDefaultTimeout(PATIENCE_MS);`,
      `await typed("a", (ms) => button.click({ timeout: ms }));`,
      `const browser = await chromium.launch({ headless: true });`,
      `const page = await browser.newPage(); await page.goto(address);`,
      `const how = { force: true, timeout: 500 }; await button.click(how);`,
      `await button.click({ "timeout": 500 });`,
      `await button.click({ timeout: isSlow ? Infinity : 500 });`,
      `await helper.request("list", { limitMs: 500 });`,
      `const run = spawnSync("timeout", ["5", "extrospect", "top"]);`,
    ],
    left: [
      `await until("it is there", () => true);`,
      `await button.click();`,
      `assert.equal(settings.timeout, 5);`,
      `const answer = { timeout: 500 };`,
      `test("a name", { timeout: 0 }, async () => {});`,
      `await until("it is there", () => true, Infinity);`,
      `import { PATIENCE_MS } from "../until.mjs"; test("a name", { timeout: 4 * PATIENCE_MS }, async () => {});`,
      `await tried("a click", async (ms) => { await button.click({ timeout: 2 * ms }); return until("it", done, ms); });`,
      `async function menu(row, timeout) { await row.click({ timeout }); }`,
      `const browser = await chromium.launch({ headless: true, timeout: 0 });`,
      `const page = await browser.newPage(); page.setDefaultTimeout(0);`,
      `const how = { timeout: 0 }; await button.click(how);`,
      `const { rows } = await shownRows({ limit: 500 });`,
    ],
  },
  "fixed-wait": {
    found: [
      `await sleep(500);`,
      `await page.waitForTimeout(400);`,
      `await new Promise((done) => setTimeout(done, 1_500));`,
      `await new Promise((done) => setTimeout(done, QUIET_MS));`,
      `import { setTimeout as rest } from "node:timers/promises"; await rest(300);`,
      `import { setTimeout } from "timers/promises"; await setTimeout(300);`,
      `const rest = (ms) => new Promise((done) => setTimeout(done, ms)); await rest(300);`,
      `await rest(300); function rest(ms) { return new Promise((done) => { setTimeout(done, ms); }); }`,
      `setTimeout(() => interruption.abort(), 50);`,
      `await new Promise((done) => { const later = (ms) => setTimeout(done, 300); later(1); });`,
      `spawnSync("sleep", ["2"]);`,
      `must("sleep", "2");`,
      `execSync("sleep 2");`,
      `const rest = promisify(setTimeout); await rest(500);`,
      `import { scheduler } from "node:timers/promises"; await scheduler.wait(500);`,
      `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);`,
      `const end = Date.now() + 500; while (Date.now() < end) await turn();`,
      `for (const end = performance.now() + 300; performance.now() < end; ) await turn();`,
    ],
    left: [
      `await new Promise((done) => setTimeout(done, 0));`,
      `await page.clock.fastForward(2000);`,
      `import { rest } from "./rest.mjs"; await rest(300);`,
      `const child = spawn("sleep", ["600"]); t.after(() => child.kill());`,
      `const ended = await run("sleep", ["60"], { signal });`,
      `while (!(await isDone())) await turn();`,
      `const clock = { later: (ms, call) => { const timer = setTimeout(call, ms); return () => clearTimeout(timer); } };`,
      `import { PATIENCE_MS } from "./until.mjs"; const patience = setTimeout(() => vm.kill(), PATIENCE_MS);`,
    ],
  },
  "measured-time": {
    found: [
      `const begun = performance.now(); await work(); assert.ok(performance.now() - begun < 500);`,
      `const begun = Date.now(); const tookMs = Date.now() - begun; assert(tookMs < 500);`,
      `const begun = Date.now(); const rate = 10 / (Date.now() - begun); assert.ok(rate > 3 && isDone);`,
      `const before = process.cpuUsage(); assert.ok(process.cpuUsage(before).user < 1e6);`,
      `const begun = Date.now(); await work(); const isFast = Date.now() - begun < 500; assert.ok(isFast);`,
      `const begun = Date.now(); let tookMs = 0; tookMs = Date.now() - begun; assert.ok(tookMs < 500);`,
      `async function timed() { const begun = Date.now(); await work(); return Date.now() - begun; } assert.ok((await timed()) < 500);`,
      `const begun = new Date(); await work(); assert.ok(new Date() - begun < 500);`,
      `const begun = process.hrtime.bigint(); assert.ok(process.hrtime.bigint() - begun < 5n);`,
      `const begun = Date.now(); await work(); if (Date.now() - begun > 500) throw new Error("slow");`,
      `const begun = Date.now(); await work(); if (Date.now() - begun > 500) { assert.fail("slow"); }`,
      `const begun = Date.now(); await work(); assert.equal(Math.round((Date.now() - begun) / 1000), 2);`,
      `import { performance as clock } from "node:perf_hooks"; const begun = clock.now(); assert.ok(clock.now() - begun < 5);`,
    ],
    left: [
      `const begun = Date.now(); assert.equal(begun, capture.begun);`,
      `const day = new Date(2026, 1, 1); assert.ok(day - other < 5);`,
      `const timed = () => ({ rows, tookMs: Date.now() - begun }); assert.ok(timed().rows < 5);`,
      `const clock = () => Date.now(); const shown = list(clock); assert.ok(shown.length < 5);`,
      `const begun = performance.now(); measured(t, "list", performance.now() - begun);`,
    ],
  },
  "recorded-verdict": {
    found: [
      `const a = await recordUntil(vm, 500); assert.equal(row.verdict, "slower");`,
      `await runHelper(["record", "-o", file]); assert.match(text, /2 slower/);`,
      `const a = await recordWork(vm); assert.ok(rows.every(({ verdict }) => verdict === wanted));`,
      `const a = await recordUntil(vm, 500); assert.equal(row["verdict"], wanted);`,
      `const a = await recordUntil(vm, 500); const expected = "slower"; assert.equal(row.is, expected);`,
      `const a = await recordUntil(vm, 500); if (row.verdict !== wanted) throw new Error(row.name);`,
      `const a = await recordUntil(vm, 500); assert.equal(gate.answer, "cannot_tell");`,
      `await extrospect("record", "-o", file); assert.match(text, /2 slower/);`,
      `spawnSync(HELPER, ["record", "-o", file]); assert.match(text, /no significant/);`,
    ],
    left: [
      `const a = readFileSync("fixtures/a.pb.gz"); assert.equal(row.verdict, "slower");`,
      `const a = await recordUntil(vm, 500); assert.equal(row.samples, 500);`,
      `const look = recorded(); assert.equal(row.verdict, "slower");`,
      `const a = await recordUntil(vm, 500); measured(t, "verdict", row.verdict);`,
    ],
  },
  "single-look": {
    found: [
      `assert.equal(await row.innerText(), "42");`,
      `assert.ok((await page.locator(".row").count()) > 3);`,
      `assert(await page.getByRole("button").isVisible());`,
      `assert.match((await line.textContent()) ?? "", /x/);`,
      `assert.deepEqual((await Promise.all(all.map((one) => one.innerText()))).sort(), names);`,
      `const text = await row.innerText(); assert.equal(text, "42");`,
      `const text = await row.innerText(); const number = (await parsed(text)).value; assert.equal(number, 42);`,
      `const shown = () => row.innerText(); assert.equal(await shown(), "42");`,
      `async function shown() { return (await row.innerText()).trim(); } assert.equal(await shown(), "42");`,
      `let text = ""; text = await row.innerText(); assert.equal(text, "42");`,
      `assert.equal((await rows.all()).length, 3);`,
      `assert.ok(await page.$(".row"));`,
      `assert.equal(await page.$$eval(".row", (rows) => rows.length), 3);`,
      `assert.ok(await row.boundingBox());`,
      `t.assert.equal(await row.innerText(), "42");`,
      `import { equal } from "node:assert/strict"; equal(await row.innerText(), "42");`,
      `import check from "node:assert"; check.ok(await row.isVisible());`,
    ],
    left: [
      `await until("it is 42", async () => assert.equal(await row.innerText(), "42"));`,
      `await until("it is there", async () => { assert.ok((await rows.count()) > 3); return true; });`,
      `const text = "42"; assert.equal(text, "42");`,
      `assert.equal(await answerOf("list"), 3);`,
      `assert.equal(names.length, 3, await page.locator("body").innerText());`,
      `const text = await until("a text", () => row.innerText()); assert.equal(text, "42");`,
      `const [one] = await Promise.all([answerOf("list")]); assert.equal(one, 3);`,
      `assert.deepEqual(captures.all(), []);`,
      `import { equal } from "./mine.mjs"; equal(await row.innerText(), "42");`,
    ],
  },
};

describe("rules for the test files of the gate", () => {
  for (const [name, { found, left }] of Object.entries(EXAMPLES)) {
    for (const text of found)
      test(`${name} finds: ${text}`, () => assert.deepEqual([...new Set(broken(text))], [name]));
    for (const text of left) test(`${name} leaves: ${text}`, () => assert.deepEqual(broken(text), []));
  }

  const ownPages = (/** @type {string} */ text) => broken(text, { "gate/single-look": ["error", { pages: "ours" }] });
  for (const text of [
    `async () => { const { page } = await pages.open(); assert.equal(await page.locator("h1").innerText(), "42"); }`,
    `async () => { await page.click("a"); await page.reload(); assert.equal(await row.innerText(), "42"); }`,
    `async () => { await page.goto(address); const text = await row.innerText(); assert.equal(text, "42"); }`,
  ])
    test(`in pages of ours single-look finds: ${text}`, () => assert.deepEqual(ownPages(text), ["single-look"]));
  for (const text of [
    `async () => { await page.goto(address); await row.waitFor(); assert.equal(await row.innerText(), "42"); }`,
    `async () => { await opened(); await page.keyboard.press("c"); assert.equal(await row.innerText(), "42"); }`,
    `const drawn = () => row.waitFor(); async () => { await opened(); await drawn(); assert.equal(await row.innerText(), "42"); };`,
    `async () => { const text = await row.innerText(); assert.equal(text, "42"); }`,
  ])
    test(`in pages of ours single-look leaves: ${text}`, () => assert.deepEqual(ownPages(text), []));

  test("they hold for the test files of the gate and for the modules that these import", () => {
    const root = join(import.meta.dirname, "../..");
    const files = gateFiles(root);
    for (const file of [
      "test/unit/lint-gate.test.mjs",
      "test/unit/deadline.test.ts",
      "test/unit/as-platform.ts",
      "test/oracles/reader/vm.ts",
      "test/editor/workbench.mjs",
      "test/editor/scenes/comparing.mjs",
      "test/webviews/top.page.mjs",
      "test/vms/vm.mjs",
      "test/until.mjs",
    ])
      assert.ok(files.includes(file), file);
    // By night only: tests, groups, and modules of their own.
    const others = /\.night\.test\.|^test\/(built|chaos|fuzz|machines|matrix|editor\/api)\/|^test\/accuracy\/measure\./;
    assert.deepEqual(
      files.filter((file) => others.test(file) || !existsSync(join(root, file))),
      [],
    );
  });

  test("no file of the gate breaks one", async () => {
    const root = join(import.meta.dirname, "../..");
    const results = await new ESLint({ cwd: root }).lintFiles(gateFiles(root));
    const found = results.flatMap(({ filePath, messages }) =>
      messages
        .filter(({ ruleId, fatal }) => fatal || ruleId?.startsWith("gate/"))
        .map(({ ruleId, line, message }) => `${relative(root, filePath)}:${line}: ${ruleId}: ${message}`),
    );
    assert.deepEqual(found, []);
  });

  test("each rule names a remedy", () => {
    for (const [name, { meta }] of Object.entries(GATE_RULES))
      assert.match(meta?.messages?.["found"] ?? "", /: .*(until|limit|measured|fixtures)/, name);
  });
});
