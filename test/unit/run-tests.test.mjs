// How `npm test` runs a single file: the counts of it, and the result of one that dies.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { testCargoEnvironment } from "../../scripts/cargo.mjs";
import { run } from "../../scripts/command.mjs";
import { childSeconds, processorSeconds } from "../../scripts/processor-seconds.mjs";
import { crateFolders, HELPER_TARGET, HELPER_WORKSPACE, ROOT } from "../../scripts/project.mjs";
import { CARGO_TEST, nodeTest, rustPrograms, rustTest } from "../../scripts/run-tests.mjs";

mkdirSync(join(ROOT, ".cache"), { recursive: true });
const folder = mkdtempSync(join(ROOT, ".cache/run-tests-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string} name @param {string} text */
function written(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

/** @param {string} text */
const tested = (text) =>
  nodeTest(relative(ROOT, written("a.test.mjs", `import { test } from "node:test";\n${text}`)), {
    signal: new AbortController().signal,
  });

test("a file of node is counted", async () => {
  const { counts, failures, output } = await tested(`
    test("one", () => {});
    test("two", (t) => t.diagnostic("something measured"));
    test("three", () => { throw new Error("not so"); });`);
  assert.deepEqual(counts, { passed: 2, failed: 1 });
  assert.match(failures.join(), /^three\n[\s\S]*not so/);
  assert.match(output, /something measured/);
  assert.doesNotMatch(output, /tests 3|failing tests/);
});

test("a file that dies has failed, and the end of its output has the reason", async () => {
  for (const [how, said] of [
    ["process.exit(7)", /exit code 7/],
    ["process.kill(process.pid, 'SIGKILL')", /exit code 137/],
    ["throw new Error('at its top')", /at its top/],
  ]) {
    const { counts, failures } = await tested(
      `test("fine", () => {});\nsetImmediate(() => { ${how} });\ntest("long", () => new Promise((resolve) => setTimeout(resolve, 1000)));`,
    );
    assert.ok(counts.failed > 0, String(how));
    assert.match(failures.join(), /** @type {RegExp} */ (said));
  }
  const empty = await nodeTest(relative(ROOT, written("empty.test.mjs", "")), {
    signal: new AbortController().signal,
  });
  assert.deepEqual(empty.counts, { passed: 0, failed: 1 });
  assert.match(empty.failures.join(), /^it printed no result/);
});

test("a test program of Rust runs in the folder of its crate; one that dies has failed", async () => {
  const signal = new AbortController().signal;
  const good = written("good", '#!/bin/sh\npwd\necho "test result: ok. 2 passed; 0 failed; 0 ignored"\n');
  const { counts, failures, output } = await rustTest({ file: "good.rs", program: good, crate: folder }, { signal });
  assert.deepEqual({ counts, failures }, { counts: { passed: 2, failed: 0 }, failures: [] });
  assert.ok(output.startsWith(folder), output);
  const died = await rustTest(
    { file: "died.rs", program: written("died", "#!/bin/sh\necho before >&2; kill -9 $$\n"), crate: folder },
    { signal },
  );
  assert.deepEqual(died.counts, { passed: 0, failed: 1 });
  assert.match(died.failures.join(), /before/);
});

/**
 * A cargo that writes down how it was called, and makes the folder for incremental data, as the real one always does.
 * @param {import("node:test").TestContext} t @param {string} workspace @returns {() => string[]} its calls
 */
function noted(t, workspace) {
  mkdirSync(join(workspace, "bin"), { recursive: true });
  const artifact = { reason: "compiler-artifact", executable: "/built", profile: { test: true } };
  const crate = { manifest_path: "/crates/one/Cargo.toml", target: { src_path: join(ROOT, "one.rs") } };
  const script = [
    "#!/bin/sh",
    `echo "$CARGO_INCREMENTAL $CARGO_TARGET_DIR $*" >> '${workspace}/calls'`,
    `mkdir -p '${incremental(workspace)}'`,
    `echo '${JSON.stringify({ ...artifact, ...crate })}'`,
  ];
  writeFileSync(join(workspace, "bin/cargo"), script.join("\n"), { mode: 0o755 });
  const path = process.env["PATH"] ?? "";
  process.env["PATH"] = `${join(workspace, "bin")}:${path}`;
  t.after(() => (process.env["PATH"] = path));
  return () => readFileSync(join(workspace, "calls"), "utf8").trim().split("\n");
}

/** @param {string} workspace */
const incremental = (workspace) => join(workspace, "target", HELPER_TARGET, "debug/incremental");

test("the Rust tests of a fresh clone are compiled once, all of them in one environment and in its own folder", async (t) => {
  const workspace = join(folder, "fresh");
  const calls = noted(t, workspace);
  const { signal } = new AbortController();
  const programs = await rustPrograms({ signal, workspace });
  assert.deepEqual(programs, [{ file: "one.rs", program: "/built", crate: "/crates/one" }]);
  assert.equal(await rustPrograms({ signal, workspace }), programs);
  await rustPrograms({ signal, workspace, targets: ["--test", "one"] });
  const call = `0 ${join(workspace, "target")} ${CARGO_TEST.join(" ")}`;
  assert.deepEqual(calls(), [`${call} --tests`, `${call} --test one`]);
  assert.equal(testCargoEnvironment(workspace).CARGO_INCREMENTAL, "0");
});

test("where a developer has incremental data, tests are compiled with them, to the end of the run", (t) => {
  const workspace = join(folder, "in-use");
  const before = process.env["CARGO_INCREMENTAL"];
  t.after(() => (before === undefined ? undefined : (process.env["CARGO_INCREMENTAL"] = before)));
  delete process.env["CARGO_INCREMENTAL"];
  mkdirSync(join(incremental(workspace), "arch-1"), { recursive: true });
  assert.equal(testCargoEnvironment(workspace).CARGO_INCREMENTAL, undefined);
  rmSync(join(incremental(workspace), "arch-1"), { recursive: true });
  assert.equal(testCargoEnvironment(workspace).CARGO_INCREMENTAL, undefined);
});

test("a program that runs too long is ended, and one whose child holds its output open is not waited for", async () => {
  const { endedByUs, code } = await run("sleep", ["60"], { longestMs: 100 });
  assert.ok(endedByUs && code !== 0);
  const left = await run("/bin/sh", ["-c", "sleep 60 & echo $!"], { longestMs: 50_000 });
  assert.equal(left.endedByUs, false);
  process.kill(Number(left.stdout));
});

test("processor time is that of the children, not of the shell around them", () => {
  assert.equal(childSeconds("0m0.001s 0m0.002s\n1m2.500s 0m1.250s\n"), 63.75);
  const { own, children } = processorSeconds();
  assert.ok(own > 0 && children >= 0);
});

test("a crate that is no test program has no tests within: they would not be run", () => {
  const isUntested = (/** @type {string} */ crate) =>
    /^test = false$/m.test(readFileSync(join(crate, "Cargo.toml"), "utf8"));
  const untested = crateFolders().filter(isUntested);
  assert.ok(untested.length > 0);
  for (const crate of untested) {
    const names = readdirSync(join(crate, "src"), { recursive: true, encoding: "utf8" });
    for (const name of names.filter((one) => one.endsWith(".rs")))
      assert.doesNotMatch(readFileSync(join(crate, "src", name), "utf8"), /^\s*#\[test\]/m, join(crate, name));
  }
});

test("no crate has tests in its comments: npm test does not look for them", () => {
  const sources = readdirSync(join(HELPER_WORKSPACE, "crates"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".rs"),
  );
  assert.ok(sources.length > 100);
  const opening = /^\s*\/\/[/!]\s*```(?!\s*$|text|toml|json|sh\b)/m;
  const bare = /^\s*\/\/[/!]\s*```/gm;
  for (const name of sources) {
    const text = readFileSync(join(HELPER_WORKSPACE, "crates", name), "utf8");
    assert.doesNotMatch(text, opening, name);
    // An opening without a language is Rust; fences come in pairs, each opened with one of the languages above.
    const opened = text.match(/^\s*\/\/[/!]\s*```(text|toml|json|sh)/gm)?.length ?? 0;
    assert.equal(text.match(bare)?.length ?? 0, 2 * opened, name);
  }
});
