// Test files that share a process have their own results.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { resultsOf, sharedTests, unstableProcesses } from "../../scripts/shared-tests.mjs";
import { repeatFailed, unstableText } from "../../scripts/test-repeats.mjs";

const { signal } = new AbortController();
const HEAD = 'import { before, describe, test } from "node:test";\n';
const FILES = {
  one: `before(() => { globalThis.oneBegan = true; });
test("a", async (t) => { await t.test("inner", () => {}); });
describe("suite", () => { test("b", () => {}); test("left out", { skip: true }, () => {}); });`,
  two: 'test("right", () => {}); test("wrong", () => { throw new Error("of two"); });',
  unloaded: 'throw new Error("does not load");',
  empty: "",
  skipped: 'test("not here", { skip: "no root" }, () => {});',
  suite: 'describe("all", { skip: "no perf" }, () => { test("a", () => {}); });',
  later: 'test("later", { todo: "soon" }, () => { throw new Error("of later"); });',
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
  const [first = "", second = "", third = "", fourth = "", fifth = "", sixth = "", last = ""] = written(t, FILES);
  const files = sharedTests([
    [first, third, fifth, last],
    [second, fourth, sixth],
  ]);
  assert.deepEqual(
    files.map(({ file }) => file),
    [first, second, third, fourth, fifth, sixth, last],
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
      [0, 0],
      [0, 0],
    ],
  );
  assert.match(two?.failures.join("\n") ?? "", /^wrong\n[\s\S]*two\.test\.mjs[\s\S]*of two/);
  assert.match(unloaded?.failures.join("\n") ?? "", /does not load/);
  assert.deepEqual([one?.failures, skipped?.failures], [[], []]);
  assert.deepEqual(
    results.map((one) => one.skipped),
    [
      ["left out: no reason is given"],
      [],
      [],
      [],
      ["not here: no root"],
      ["all: no perf"],
      ["later: to do, and fails: soon"],
    ],
  );
  assert.equal(results.at(-1)?.failures.length, 0);
  assert.match(one?.output ?? "", /✔ inner/);
  assert.doesNotMatch(one?.output ?? "", /not here/);
  assert.equal(empty?.failures.length, 0);
  assert.ok(results.every(({ ownSeconds }) => ownSeconds !== undefined && ownSeconds > 0));
  const again = await files[1]?.run({ signal });
  assert.equal(again?.ownSeconds, undefined);
  assert.deepEqual(again?.counts, { passed: 1, failed: 1 });
  assert.doesNotMatch(again?.report ?? "", /Subtest: .*two\.test\.mjs/);
});

test("a file has its result whatever its name is made of", async (t) => {
  const files = written(t, {
    "a #1 of two": 'test("fine", () => {});',
    "#b": 'test("wrong \\\\ #1", () => { throw new Error("of b"); });',
  });
  const results = await Promise.all(sharedTests([files]).map(({ run }) => run({ signal })));
  assert.deepEqual(
    results.map(({ counts, ownSeconds, failedProcess }) => [
      counts.passed,
      counts.failed,
      ownSeconds !== undefined,
      failedProcess,
    ]),
    [
      [1, 0, true, undefined],
      [0, 1, true, undefined],
    ],
  );
  assert.match(results[0]?.output ?? "", /✔ fine/);
  assert.match(results[1]?.failures.join() ?? "", /^wrong \\ #1\n/);
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
  // The file that fails alone explains it.
  assert.deepEqual(unstableProcesses(named(files, results)), []);
});

/** Ends its process when that is the first one. @param {string} flag   a file that the first one makes */
const endsOnce = (flag) =>
  `import { existsSync, writeFileSync, writeSync } from "node:fs";
  const isFirst = !existsSync(${JSON.stringify(flag)});
  writeFileSync(${JSON.stringify(flag)}, "");`;

/** @param {string[]} files @param {import("../../scripts/run-tests.mjs").Tested[]} results */
const named = (files, results) =>
  results.map((result, at) => ({ ...result, file: files[at] ?? "", failedProcess: result.failedProcess }));

test("a process that fails though its files pass alone is unstable, under the name of the file that ran", async (t) => {
  const flag = join(mkdtempSync(join(tmpdir(), "extrospect-shared-")), "began");
  t.after(() => rmSync(dirname(flag), { recursive: true, force: true }));
  const files = written(t, {
    fine: 'test("fine", () => {});',
    once: `${endsOnce(flag)} test("once", () => { if (isFirst) writeSync(1, "the last words"), process.exit(3); });`,
    later: 'test("later", () => {});',
  });
  const results = await Promise.all(sharedTests([files]).map(({ run }) => run({ signal })));
  assert.deepEqual(
    results.map(({ counts }) => counts.failed),
    [0, 0, 0],
  );
  const [unstable, ...others] = unstableProcesses(named(files, results));
  assert.equal(others.length, 0);
  const { first, second } = unstable ?? assert.fail();
  assert.deepEqual([first.file, second.file], [files[1], files[1]]);
  assert.deepEqual(
    [first.counts, second.counts],
    [
      { passed: 0, failed: 1 },
      { passed: 1, failed: 0 },
    ],
  );
  assert.match(first.failures.join(), /^it ran when a process of 3 files ended with exit code 3/);
  const text = unstableText({ first, second });
  assert.match(text, /exit code 3[\s\S]*the last words[\s\S]*once\.test\.mjs, alone: 1 passed\n[\s\S]*✔ once/);
});

test("where no file can be named, the process is unstable", async (t) => {
  const flag = join(mkdtempSync(join(tmpdir(), "extrospect-shared-")), "began");
  t.after(() => rmSync(dirname(flag), { recursive: true, force: true }));
  const files = written(t, {
    exits: `${endsOnce(flag)} if (isFirst) process.on("exit", () => { process.exitCode = 5; });
      test("fine", () => {});`,
    fine: 'test("fine", () => {});',
  });
  const results = await Promise.all(sharedTests([files]).map(({ run }) => run({ signal })));
  const unstable = unstableProcesses(named(files, results));
  assert.deepEqual(
    unstable.map(({ first }) => first.file),
    [`the process of ${files[0]} and 1 more`],
  );
  assert.match(unstable[0]?.first.failures.join() ?? "", /exit code 5; 2 of them ran alone then/);
});

const NOT_AWAITED = `let fail; const failed = new Promise((done) => (fail = done));
test("not awaited", () => {
  void (async () => {
    await new Promise((done) => setImmediate(done));
    setImmediate(fail);
    throw new Error("the product is wrong");
  })();
});
test("ends later", () => failed);`;

for (const how of ['throw new Error("once")', "process.exit(0)", "process.exit(3)"]) {
  test(`an assertion that no test awaits fails its file, though another one of its process does once: ${how}`, async (t) => {
    const flag = join(mkdtempSync(join(tmpdir(), "extrospect-shared-")), "began");
    t.after(() => rmSync(dirname(flag), { recursive: true, force: true }));
    const once = `${endsOnce(flag)} test("once", () => { if (isFirst) ${how}; });`;
    const files = written(t, { fine: 'test("fine", () => {});', late: NOT_AWAITED, once });
    const tested = (/** @type {import("../../scripts/test-groups.mjs").TestFile} */ of) =>
      of.run({ signal }).then((result) => ({ ...result, of }));
    const first = await Promise.all(sharedTests([files]).map(tested));
    const { last } = await repeatFailed(first, ({ of }) => tested(of));
    assert.deepEqual(
      last.map(({ counts }) => counts.failed > 0),
      [false, true, false],
    );
  });
}

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
  const whole = { counts: { passed: 2, failed: 0 }, failures: [], code: 0, ranLast: "" };
  const { results } = resultsOf(["short", "long"], `TAP version 13\n${report.join("")}1..2\n`, "", whole);
  assert.deepEqual(
    ["short", "long"].map((file) => results.get(file)?.ownSeconds),
    [0.0205, 9.00025],
  );
});
