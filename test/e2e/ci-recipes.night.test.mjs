// The files of docs/ci that users copy: the script records two real commits in pairs, and both recipes contain their
// steps.
import "../../scripts/outer-repository.mjs";
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

/** The program that the template is to measure; a commit changes `rounds`. @param {number} rounds */
const program = (rounds) => `-module(shop).
-export([total/1]).
total(Order) -> changed(${rounds}, lists:sum(Order)).
changed(0, X) -> X;
changed(Count, X) -> changed(Count - 1, (X * 1103515 + 12347) band 16#3ffffff).
`;

/** The template with a call of that program in place of its own work. @param {string} file */
function writeBenchmark(file) {
  const template = readFileSync(join(FOLDER, "benchmark.erl"), "utf8");
  const parts = template.split("lists:sum(lists:sort(Order))");
  assert.equal(parts.length, 2, "the one line to replace");
  writeFileSync(file, parts.join("shop:total(Order)"));
}

/** How a recipe starts the benchmark. @param {string} name */
function startOf(name) {
  const recipe = yaml.load(readFileSync(join(FOLDER, name), "utf8"));
  return String((recipe.jobs?.profile.env ?? recipe.profile.variables).START);
}

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
  const benchmark = join(folder, "benchmark.erl");
  writeBenchmark(benchmark);
  const commits = [1, 30].map((rounds) => {
    writeFileSync(join(repository, "src/shop.erl"), program(rounds));
    git(repository, "add", "-A");
    git(repository, "commit", "-qm", `${rounds} rounds`);
    return git(repository, "rev-parse", "HEAD");
  });
  const [base = "", head = ""] = commits;
  const out = join(folder, "captures");
  const build = `mkdir ebin && erlc +debug_info -o ebin src/shop.erl ${benchmark}`;
  const start = startOf("gitlab-ci.yml");
  const environment = {
    ...process.env,
    EXTROSPECT: helperWord(t),
    RECORD_ARGUMENTS: "-F 997",
    COUNTS: "yes",
    WARM_UP: "1",
  };
  await run(SCRIPT, [base, head, "2", "2", out, build, start], { cwd: repository, env: environment });

  const files = readdirSync(out).filter((name) => name.endsWith(".pb.gz"));
  assert.deepEqual(files, ["base-1.pb.gz", "base-2.pb.gz", "head-1.pb.gz", "head-2.pb.gz"]);
  const captures = files.map((name) => ({
    name,
    origin: fact(join(out, name), "origin"),
    target: fact(join(out, name), "target"),
    work: fact(join(out, name), "work"),
    endedMs: statSync(join(out, name)).mtimeMs,
  }));
  for (const { name, origin } of captures) assert.equal(origin.commit, name.startsWith("base") ? base : head, name);
  assert.equal(new Set(captures.map(({ target }) => target.pid)).size, files.length, "a VM each");
  // The template counts its work from its first unit on.
  for (const { name, work } of captures) assert.ok(work.name === "units" && work.at_start > 0, `${name} has its work`);
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
  // By the second nothing of that would be seen.
  const gate = ["--fail-if", "whole.slower>50%", "--fail-if", "touched.slower>50%"];
  const judged = await runHelper(["diff", ...sides, "--measure", "work", ...gate, "--json"]);
  const { functions, whole, gates } = JSON.parse(judged.stdout);
  assert.equal(whole.measure, "work");
  assert.ok(whole.change_pct > 50, JSON.stringify(whole));
  // Two pairs on a busy machine may not be enough for certainty; the gate never reports that it is no slower.
  assert.notEqual(gates[0].certainty, "within", JSON.stringify(gates[0]));
  const holds = gates.some((/** @type {any} */ each) => each.answer === "holds");
  assert.equal(judged.code, holds ? 6 : 7, judged.stderr);
  // The commit touched the caller of what became slower, whose total shows it.
  const of = (/** @type {string} */ name) => functions.find((/** @type {any} */ row) => row.function === name);
  const total = of("shop:total/1");
  assert.ok(total.touched === true && total.total.change_pct > 0, JSON.stringify(total));
  assert.equal(of("shop:changed/2").touched, false);
  assert.equal(gates[1].touched, 1);
  const page = await runHelper(["diff", ...sides, "--format", "html"]);
  assert.equal(page.code, 0, page.stderr);
  assert.match(page.stdout, /shop:changed\/2/);
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
    assert.match(
      judging,
      / --paired --own \. --measure work --fail-if 'touched\.\S+' --fail-if 'whole\.\S+' --if-unknown=fail --markdown --link "\$\S+" > profile\.md$/,
    );
    const { BUILD: build } = recipe.jobs?.profile.env ?? recipe.profile.variables;
    assert.match(build, / erlc .* "\$\w+\/ci\/benchmark\.erl"$/, "the benchmark is of no checkout");
    assert.equal(startOf(name), startOf("gitlab-ci.yml"));
    // The helper knows these arguments: it refuses only the missing file.
    const conditions = judging.match(/--fail-if '[^']*'/g) ?? [];
    const tried = await runHelper([
      "diff",
      "/nowhere.pb.gz",
      "--",
      "/nowhere.pb.gz",
      "--own",
      ".",
      ...conditions.flatMap((condition) => ["--fail-if", condition.slice(11, -1)]),
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
