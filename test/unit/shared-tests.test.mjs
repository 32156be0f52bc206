// Test files that share a process have their own results.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { resultsOf, sharedTests } from "../../scripts/shared-tests.mjs";

const { signal } = new AbortController();
const HEAD = 'import { before, describe, test } from "node:test";\n';
const FILES = {
  one: `before(() => { globalThis.oneBegan = true; });
test("a", async (t) => { await t.test("inner", () => {}); });
describe("suite", () => { test("b", () => {}); test("left out", { skip: true }, () => {}); });`,
  two: 'test("right", () => {}); test("wrong", () => { throw new Error("of two"); });',
  unloaded: 'throw new Error("does not load");',
  empty: "",
  skipped: 'test("not here", { skip: true }, () => {});',
};

/** @param {import("node:test").TestContext} t @param {Record<string, string>} texts */
function written(t, texts) {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-shared-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return Object.entries(texts).map(([name, text]) => {
    const file = join(folder, `${name}.test.mjs`);
    writeFileSync(file, HEAD + text);
    return relative(ROOT, file);
  });
}

test("each file has its counts and failures, which name it; a file that fails and runs again runs alone", async (t) => {
  const [first = "", second = "", third = "", fourth = "", fifth = ""] = written(t, FILES);
  const files = sharedTests([
    [first, third, fifth],
    [second, fourth],
  ]);
  assert.deepEqual(
    files.map(({ file }) => file),
    [first, second, third, fourth, fifth],
  );
  const results = await Promise.all(files.map(({ run }) => run({ signal })));
  const [one, two, unloaded, empty, skipped] = results;
  assert.deepEqual(
    results.map(({ counts }) => [counts.passed, counts.failed]),
    [
      [3, 0],
      [1, 1],
      [0, 1],
      [0, 1],
      [0, 0],
    ],
  );
  assert.match(two?.failures.join("\n") ?? "", /^wrong\n[\s\S]*two\.test\.mjs[\s\S]*of two/);
  assert.match(unloaded?.failures.join("\n") ?? "", /does not load/);
  assert.deepEqual([one?.failures, skipped?.failures], [[], []]);
  assert.match(one?.output ?? "", /✔ inner/);
  assert.doesNotMatch(one?.output ?? "", /not here/);
  assert.equal(empty?.failures.length, 0);
  assert.ok(results.every(({ ownSeconds }) => ownSeconds !== undefined && ownSeconds > 0));
  const again = await files[1]?.run({ signal });
  assert.equal(again?.ownSeconds, undefined);
  assert.deepEqual(again?.counts, { passed: 1, failed: 1 });
  assert.doesNotMatch(again?.report ?? "", /Subtest: .*two\.test\.mjs/);
});

test("where one ends the process, the others run alone, and it is the one that fails", async (t) => {
  const files = written(t, { fine: 'test("fine", () => {});', ends: 'test("ends", () => process.exit(3));' });
  const results = await Promise.all(sharedTests([files]).map(({ run }) => run({ signal })));
  assert.deepEqual(
    results.map(({ counts }) => [counts.passed, counts.failed]),
    [
      [1, 0],
      [0, 1],
    ],
  );
});

test("the seconds of a file are those of its own line", () => {
  const report = ["short", "long"].map(
    (file, index) => `# Subtest: ${file}
    # Subtest: a
    ok 1 - a
      ---
      duration_ms: 7000.5
      type: 'test'
      ...
    1..1
ok ${index + 1} - ${file}
  ---
  duration_ms: ${[20.5, 9000.25][index]}
  type: 'suite'
  ...
`,
  );
  const whole = { counts: { passed: 2, failed: 0 }, failures: [] };
  const results = resultsOf(["short", "long"], `TAP version 13\n${report.join("")}1..2\n`, "", whole);
  assert.deepEqual(
    ["short", "long"].map((file) => results.get(file)?.ownSeconds),
    [0.0205, 9.00025],
  );
});
