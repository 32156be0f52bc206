// The rules for test files that `npm test` runs find what load decides, and accept the rest.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Linter } from "eslint";
import { GATE_RULES } from "../../scripts/lint/gate-tests.mjs";

/** @param {string} text @returns {string[]} the rules that it breaks */
function broken(text) {
  const messages = new Linter().verify(text, {
    languageOptions: { ecmaVersion: "latest", sourceType: "module" },
    plugins: { gate: { rules: GATE_RULES } },
    rules: Object.fromEntries(Object.keys(GATE_RULES).map((name) => [`gate/${name}`, "error"])),
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
    ],
    left: [
      `await until("it is there", () => true);`,
      `await button.click();`,
      `assert.equal(settings.timeout, 5);`,
      `const answer = { timeout: 500 };`,
      `test("a name", { timeout: 0 }, async () => {});`,
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
    ],
    left: [
      `await new Promise((done) => setTimeout(done, 0));`,
      `await page.clock.fastForward(2000);`,
      `import { rest } from "./rest.mjs"; await rest(300);`,
    ],
  },
  "measured-time": {
    found: [
      `const begun = performance.now(); await work(); assert.ok(performance.now() - begun < 500);`,
      `const begun = Date.now(); const tookMs = Date.now() - begun; assert(tookMs < 500);`,
      `const begun = Date.now(); const rate = 10 / (Date.now() - begun); assert.ok(rate > 3 && isDone);`,
      `const before = process.cpuUsage(); assert.ok(process.cpuUsage(before).user < 1e6);`,
    ],
    left: [
      `const begun = Date.now(); assert.equal(begun, capture.begun);`,
      `const clock = () => Date.now(); const shown = list(clock); assert.ok(shown.length < 5);`,
      `const begun = performance.now(); measured(t, "list", performance.now() - begun);`,
    ],
  },
  "recorded-verdict": {
    found: [
      `const a = await recordUntil(vm, 500); assert.equal(row.verdict, "slower");`,
      `await runHelper(["record", "-o", file]); assert.match(text, /2 slower/);`,
      `const a = await recordWork(vm); assert.ok(rows.every(({ verdict }) => verdict === wanted));`,
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
    ],
    left: [
      `await until("it is 42", async () => assert.equal(await row.innerText(), "42"));`,
      `await until("it is there", async () => { assert.ok((await rows.count()) > 3); return true; });`,
      `const text = "42"; assert.equal(text, "42");`,
      `assert.equal(await answerOf("list"), 3);`,
      `assert.equal(names.length, 3, await page.locator("body").innerText());`,
    ],
  },
};

describe("rules for the test files of the gate", () => {
  for (const [name, { found, left }] of Object.entries(EXAMPLES)) {
    for (const text of found)
      test(`${name} finds: ${text}`, () => assert.deepEqual([...new Set(broken(text))], [name]));
    for (const text of left) test(`${name} leaves: ${text}`, () => assert.deepEqual(broken(text), []));
  }

  test("each rule names a remedy", () => {
    for (const [name, { meta }] of Object.entries(GATE_RULES))
      assert.match(meta?.messages?.["found"] ?? "", /: .*(until|limit|measured|fixtures)/, name);
  });
});
