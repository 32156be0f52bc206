// The files of docs/ci that users copy: the script records two real commits in pairs, and both recipes contain their
// steps.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { ROOT } from "../../scripts/project.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { HELPER, runHelper, temporaryFolder } from "./helper.mjs";

const run = promisify(execFile);
const FOLDER = join(ROOT, "docs/ci");
const SCRIPT = join(FOLDER, "record-pairs.sh");
/** One that is here anyway, for the test runner of the editor. */
const yaml = createRequire(createRequire(import.meta.url).resolve("mocha"))("js-yaml");

/** A program that always has something to do, and counts it; a commit changes `rounds`. @param {number} rounds */
const program = (rounds) => `-module(benchmark).
-export([start/0, count/2, forever/2]).
start() ->
    Counter = counters:new(1, []),
    spawn(?MODULE, forever, [Counter, 0]),
    spawn(?MODULE, count, [Counter, os:getenv("WORK_COUNTER")]).
count(Counter, File) ->
    ok = file:write_file(File ++ ".new", integer_to_binary(counters:get(Counter, 1))),
    ok = file:rename(File ++ ".new", File),
    timer:sleep(50),
    ?MODULE:count(Counter, File).
forever(Counter, X) ->
    counters:add(Counter, 1, 1),
    ?MODULE:forever(Counter, changed(${rounds}, steady(1000, X))).
steady(0, X) -> X;
steady(Count, X) -> steady(Count - 1, (X * 1103515 + 12345) band 16#3ffffff).
changed(0, X) -> X;
changed(Count, X) -> changed(Count - 1, (X * 1103515 + 12347) band 16#3ffffff).
`;

/** @param {string} folder @param {string[]} args */
const git = (folder, ...args) =>
  execFileSync("git", ["-C", folder, "-c", "user.name=Test", "-c", "user.email=test@example.invalid", ...args], {
    encoding: "utf8",
  }).trim();

/** @param {string} file @param {string} kind @returns {any} */
function fact(file, kind) {
  const prefix = `extrospect/${kind} `;
  const comments = /** @type {string[]} */ (readProfile(file).comments);
  return JSON.parse(comments.findLast((comment) => comment.startsWith(prefix))?.slice(prefix.length) ?? "{}");
}

/** The helper as one word, in whatever folder this clone is. @param {import("node:test").TestContext} t */
function helperWord(t) {
  const word = join(temporaryFolder(t), "extrospect");
  symlinkSync(HELPER, word);
  return word;
}

test("two commits are built, and recorded in pairs, each capture of a VM of its own", async (t) => {
  await prepareOtp("25");
  const folder = temporaryFolder(t);
  const repository = join(folder, "shop");
  mkdirSync(join(repository, "src"), { recursive: true });
  git(folder, "init", "-q", "-b", "main", repository);
  const commits = [200, 3000].map((rounds) => {
    writeFileSync(join(repository, "src/benchmark.erl"), program(rounds));
    git(repository, "add", "-A");
    git(repository, "commit", "-qm", `${rounds} rounds`);
    return git(repository, "rev-parse", "HEAD");
  });
  const [base = "", head = ""] = commits;
  const out = join(folder, "captures");
  const build = "mkdir ebin && erlc +debug_info -o ebin src/benchmark.erl";
  const start = "exec erl -noshell -noinput -pa ebin -s benchmark";
  const environment = { ...process.env, EXTROSPECT: helperWord(t), RECORD_ARGUMENTS: "-F 997", WARM_UP: "1" };
  await run(SCRIPT, [base, head, "2", "2", out, build, start], { cwd: repository, env: environment });

  const files = readdirSync(out).filter((name) => name.endsWith(".pb.gz"));
  assert.deepEqual(files, ["base-1.pb.gz", "base-2.pb.gz", "head-1.pb.gz", "head-2.pb.gz"]);
  const captures = files.map((name) => ({
    name,
    origin: fact(join(out, name), "origin"),
    target: fact(join(out, name), "target"),
    endedMs: statSync(join(out, name)).mtimeMs,
  }));
  for (const { name, origin } of captures) assert.equal(origin.commit, name.startsWith("base") ? base : head, name);
  assert.equal(new Set(captures.map(({ target }) => target.pid)).size, files.length, "a VM each");
  const inOrder = captures.sort((a, b) => a.endedMs - b.endedMs).map(({ name }) => name.slice(0, 6));
  assert.deepEqual(inOrder, ["base-1", "head-1", "head-2", "base-2"]);

  // Nothing is left: no VM, no checkout.
  assert.equal(git(repository, "worktree", "list").split("\n").length, 1);
  for (const { target } of captures) assert.throws(() => process.kill(target.pid, 0), /ESRCH/);

  const sides = [
    join(out, "base-1.pb.gz"),
    join(out, "base-2.pb.gz"),
    "--",
    join(out, "head-1.pb.gz"),
    join(out, "head-2.pb.gz"),
    "--source-dir",
    repository,
    "--paired",
  ];
  // 200 and 1,000 rounds against 3,000 and 1,000: by the second nothing of that would be seen.
  const judged = await runHelper(["diff", ...sides, "--measure", "work", "--fail-if", "whole.slower>50%", "--json"]);
  const { functions, whole, gates } = JSON.parse(judged.stdout);
  assert.equal(whole.measure, "work");
  assert.ok(whole.change_pct > 50, JSON.stringify(whole));
  // Two pairs on a busy machine may not be enough for certainty; the gate never reports that it is no slower.
  assert.notEqual(gates[0].certainty, "within", JSON.stringify(gates[0]));
  assert.equal(judged.code, gates[0].answer === "holds" ? 6 : 7, judged.stderr);
  const changed = functions.find((/** @type {any} */ row) => row.function === "benchmark:changed/2");
  assert.ok(changed.self.change_pct > 0, JSON.stringify(changed));
  const page = await runHelper(["diff", ...sides, "--format", "html"]);
  assert.equal(page.code, 0, page.stderr);
  assert.match(page.stdout, /benchmark:changed\/2/);
});

test("a program that starts no VM, and numbers that are none, are refused, and nothing is left behind", async (t) => {
  const repository = temporaryFolder(t);
  git(repository, "init", "-q", "-b", "main");
  git(repository, "commit", "-q", "--allow-empty", "-m", "nothing");
  const recorded = (/** @type {string[]} */ ...args) =>
    run(SCRIPT, args, { cwd: repository, env: { ...process.env, EXTROSPECT: helperWord(t) } });
  await assert.rejects(recorded("HEAD", "HEAD", "1", "1", "out", "true", "exit 3"), {
    code: 1,
    stderr: /START has started no VM, see .*base-1\.log/,
  });
  await assert.rejects(recorded("HEAD", "HEAD", "1", "1", "out", "exit 3", "true"), { code: 3 });
  await assert.rejects(recorded("HEAD", "HEAD", "0", "1", "out", "true", "true"), { code: 2 });
  await assert.rejects(recorded("HEAD", "nowhere", "1", "1", "out", "true", "true"), {
    code: 128,
    stderr: /there is no commit nowhere here/,
  });
  for (const word of ["--help", "-", "-b", "--"]) {
    await assert.rejects(recorded(word, "HEAD", "1", "1", "out", "true", "true"), {
      code: 2,
      stderr: /is no name of a commit/,
    });
    await assert.rejects(recorded("HEAD", word, "1", "1", "out", "true", "true"), {
      code: 2,
      stderr: /is no name of a commit/,
    });
  }
  await assert.rejects(recorded("HEAD"), { code: 2, stderr: /^usage: / });
  assert.equal(git(repository, "worktree", "list").split("\n").length, 1);
});

test("the script is plain POSIX shell", async () => {
  await run("shellcheck", ["--shell=sh", SCRIPT]);
});

/** All lines of shell of a recipe, by the runner. @param {any} recipe @returns {string[]} */
function shellLines(recipe) {
  if (Array.isArray(recipe)) return recipe.flatMap(shellLines);
  if (typeof recipe !== "object" || recipe === null) return [];
  return Object.entries(recipe).flatMap(([key, value]) =>
    key === "run" || key === "script" ? [value].flat() : shellLines(value),
  );
}

for (const name of ["github-actions.yml", "gitlab-ci.yml"])
  test(`${name}: whole history, pairs on one machine, the page, the comment and the gate`, async () => {
    const text = readFileSync(join(FOLDER, name), "utf8");
    const recipe = yaml.load(text);
    const lines = shellLines(recipe);
    for (const line of lines) await run("sh", ["-n", "-c", line]);
    const one = (/** @type {RegExp} */ what) => {
      const found = lines.filter((line) => what.test(line));
      assert.equal(found.length, 1, `${what} in ${lines.join("\n")}`);
      return found[0] ?? "";
    };
    assert.match(
      one(/record-pairs\.sh/),
      /^ci\/record-pairs\.sh ("\$.*"|"\$\(.*\)") "\$\w+" \d+ \d+ captures "\$BUILD" "\$START"$/,
    );
    assert.match(
      one(/--format html/),
      /captures\/base-\*\.pb\.gz -- captures\/head-\*\.pb\.gz --paired --own \. --format html > profile\.html$/,
    );
    const judging = one(/--fail-if/);
    assert.match(judging, / --measure work --fail-if '\S+' --if-unknown=fail --markdown --link "\$\S+" > profile\.md$/);
    // The helper knows these arguments: it refuses only the missing file.
    const condition = /--fail-if '([^']*)'/.exec(judging)?.[1] ?? "";
    const tried = await runHelper([
      "diff",
      "/nowhere.pb.gz",
      "--",
      "/nowhere.pb.gz",
      "--own",
      ".",
      "--fail-if",
      condition,
      "--if-unknown=fail",
      "--markdown",
      "--link",
      "https://ci.example/profile.html",
    ]);
    assert.match(tried.stderr, /there is no file \/nowhere\.pb\.gz/);
    assert.match(text, /fetch-depth: 0/);
    if (name.startsWith("gitlab")) {
      assert.equal(recipe.profile.variables.GIT_DEPTH, "0");
      assert.ok(recipe.profile.artifacts.paths.includes("profile.html") && recipe.profile.artifacts.when === "always");
      return;
    }
    const { profile, comment } = recipe.jobs;
    assert.equal(profile.steps[0].with["fetch-depth"], 0);
    assert.deepEqual(profile.permissions, { contents: "read" }, "what runs the pull request may write nothing");
    assert.deepEqual(comment.permissions, { "pull-requests": "write" });
    // A name that another person chose is never part of a line of shell.
    for (const line of lines) assert.doesNotMatch(line, /\$\{\{/);
  });
