// Own code in a comparison is that of each side's commit, whatever is checked out; anything missing for it is reported.
import "../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { changedCapture, withComment } from "../changed-capture.mjs";
import { assertRefused, helperJson, runHelper, temporaryFolder } from "./helper.mjs";

/** @param {string} folder @param {string[]} args */
function git(folder, ...args) {
  const options = {
    cwd: folder,
    encoding: /** @type {const} */ ("utf8"),
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
  };
  return execFileSync(
    "git",
    ["-c", "user.name=me", "-c", "user.email=me@host", "-c", "protocol.file.allow=always", ...args],
    options,
  ).trim();
}

/** @param {string} folder @param {string} path @param {string} text */
function write(folder, path, text) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** @param {string} module @param {string} name */
const elixir = (module, name) =>
  `defmodule ${module} do\n  def ${name}(text, depth) do\n    text\n    |> String.split(",")\n    |> Enum.map(&String.trim/1)\n    |> Enum.take(depth)\n  end\nend\n`;

const ENUM = "Enum.map/2 (lib/enum.ex:1700)";
const RUN = "Shop.run/2 (lib/shop.ex:2)";
const BEFORE = {
  [`${RUN};Shop.Formatter.pp/2 (lib/formatter.ex:4);${ENUM}`]: 700,
  [`${RUN};Shop.Old.old/2 (lib/old.ex:4);${ENUM}`]: 150,
  [RUN]: 150,
};
const AFTER = { [`${RUN};Shop.Printer.pp/2 (lib/printer.ex:4);${ENUM}`]: 700, [RUN]: 150 };

/**
 * A repository of two commits: a module is renamed with its file, another one goes. Then captures of both.
 * @param {import("node:test").TestContext} t
 */
async function twoCommits(t) {
  const folder = temporaryFolder(t);
  git(folder, "init", "-q", "-b", "main");
  write(folder, "lib/shop.ex", elixir("Shop", "run"));
  write(folder, "lib/formatter.ex", elixir("Shop.Formatter", "pp"));
  write(folder, "lib/old.ex", elixir("Shop.Old", "old"));
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "first");
  const first = git(folder, "rev-parse", "HEAD");
  git(folder, "mv", "lib/formatter.ex", "lib/printer.ex");
  write(folder, "lib/printer.ex", elixir("Shop.Printer", "pp"));
  git(folder, "rm", "-q", "lib/old.ex");
  git(folder, "commit", "-qam", "second");
  const second = git(folder, "rev-parse", "HEAD");
  const captures = temporaryFolder(t);
  const before = await captureOf(join(captures, "before.pb.gz"), BEFORE, { folder, commit: first });
  const after = await captureOf(join(captures, "after.pb.gz"), AFTER, { folder, commit: second });
  return { folder, first, second, captures, before, after };
}

/**
 * @param {string} file
 * @param {Record<string, number>} stacks
 * @param {{folder: string, commit: string}} [of]
 */
async function captureOf(file, stacks, of) {
  const folded = `${file}.folded`;
  writeFileSync(
    folded,
    Object.entries(stacks)
      .map(([stack, count]) => `${stack} ${count}\n`)
      .join(""),
  );
  assert.equal((await runHelper(["import", folded, "-o", file])).code, 0);
  if (of !== undefined)
    assert.equal((await runHelper(["commit", file, "--builds", of.folder, "--assign", of.commit])).code, 0);
  return file;
}

/** Own time of the functions that have some: before, after, verdict. @param {any} comparison */
function ownOf(comparison) {
  const own = comparison.functions.filter((/** @type {any} */ row) => row.own.base_samples + row.own.new_samples > 0);
  return Object.fromEntries(
    own.map((/** @type {any} */ row) => [row.function, [row.own.base_samples, row.own.new_samples, row.own.verdict]]),
  );
}

/** @param {any} comparison @param {string} kind */
const notesOf = (comparison, kind) =>
  comparison.notes.filter((/** @type {any} */ note) => note.kind === kind).map((/** @type {any} */ note) => note.text);

test("a renamed module and one that went, whichever commit is checked out, in both directions", async (t) => {
  const { folder, first, second, before, after } = await twoCommits(t);
  for (const checkedOut of [first, second]) {
    git(folder, "checkout", "-q", checkedOut);
    const there = await helperJson(["diff", before, "--", after, "--own", folder]);
    assert.deepEqual(ownOf(there), {
      "Shop.Printer.pp/2": [700, 700, "noise"],
      "Shop.Old.old/2": [150, 0, "gone"],
      "Shop.run/2": [150, 150, "noise"],
    });
    assert.equal(
      there.functions.find((/** @type {any} */ row) => row.function === "Shop.Printer.pp/2").base_function,
      "Shop.Formatter.pp/2",
    );
    assert.deepEqual(
      [...notesOf(there, "name_alone"), ...notesOf(there, "own_of_today"), ...notesOf(there, "own_by_paths")],
      [],
    );
    const back = await helperJson(["diff", after, "--", before, "--own", folder]);
    assert.deepEqual(ownOf(back), {
      "Shop.Formatter.pp/2": [700, 700, "noise"],
      "Shop.Old.old/2": [0, 150, "new"],
      "Shop.run/2": [150, 150, "noise"],
    });
    assert.equal((await runHelper(["diff", before, "--", after, "--own", folder, "--fail-if", "own.new>1pp"])).code, 0);
    // Below a folder of the project, too.
    assert.deepEqual(
      ownOf(await helperJson(["diff", before, "--", after, "--own", join(folder, "lib")])),
      ownOf(there),
    );
  }
});

test("uncommitted code is own code as it was at the time of the capture", async (t) => {
  const { folder, second, captures, before } = await twoCommits(t);
  write(folder, "lib/printer.ex", elixir("Shop.Paper", "pp"));
  write(folder, "lib/fresh.ex", elixir("Shop.Fresh", "new"));
  const hash = (/** @type {string} */ path) => git(folder, "hash-object", path);
  const origin = {
    commit: second,
    dirty: true,
    sources: { "lib/printer.ex": hash("lib/printer.ex"), "lib/fresh.ex": hash("lib/fresh.ex") },
  };
  const file = await captureOf(join(captures, "dirty.pb.gz"), {
    [`${RUN};Shop.Paper.pp/2 (lib/printer.ex:4)`]: 700,
    [`${RUN};Shop.Fresh.new/2 (lib/fresh.ex:4)`]: 300,
  });
  writeFileSync(file, withComment(readFileSync(file), `extrospect/origin ${JSON.stringify(origin)}`));
  const own = ownOf(await helperJson(["diff", before, "--", file, "--own", folder]));
  assert.deepEqual(own["Shop.Fresh.new/2"], [0, 300, "new"]);
  assert.deepEqual(own["Shop.Paper.pp/2"]?.slice(0, 2), [700, 700]);
});

test("without the commit in git, the capture's own paths decide, else today's folder, with a note in every format", async (t) => {
  const { folder, first, captures, before, after } = await twoCommits(t);
  const shallow = temporaryFolder(t);
  git(shallow, "clone", "-q", "--depth", "1", `file://${folder}`, ".");
  const inShallow = await helperJson(["diff", before, "--", after, "--own", shallow]);
  const fix = /this clone is shallow and has not [0-9a-f]{12}; git fetch --unshallow, or fetch-depth: 0/;
  assert.match(notesOf(inShallow, "name_alone").join(), fix);
  assert.match(notesOf(inShallow, "own_of_today").join(), fix);
  for (const format of [[], ["--markdown"]])
    assert.match(
      (await runHelper(["diff", before, "--", after, "--own", shallow, ...format])).stdout.replaceAll("\\", ""),
      fix,
      format.join(),
    );

  // The capture knows which of its sources were the user's.
  const hashes = Object.fromEntries(
    ["shop", "formatter", "old"].map((name) => [`lib/${name}.ex`, git(folder, "rev-parse", `${first}:lib/${name}.ex`)]),
  );
  const knowing = join(captures, "knowing.pb.gz");
  writeFileSync(
    knowing,
    withComment(readFileSync(before), `extrospect/origin ${JSON.stringify({ commit: first, sources: hashes })}`),
  );
  const known = await helperJson(["diff", knowing, "--", after, "--own", shallow]);
  assert.deepEqual(ownOf(known)["Shop.Formatter.pp/2"], [700, 0, "gone"]);
  assert.match(
    notesOf(known, "own_by_paths").join(),
    /own code of knowing\.pb\.gz is derived from the source paths that they contain/,
  );

  // No commit, no repository.
  const silent = await captureOf(join(captures, "silent.pb.gz"), AFTER);
  const half = await helperJson(["diff", before, "--", silent, "--own", folder]);
  assert.match(
    notesOf(half, "name_alone").join(),
    /no commit is known of silent\.pb\.gz; extrospect commit FILE --assign COMMIT/,
  );
  assert.match(notesOf(half, "own_of_today").join(), /own code of silent\.pb\.gz is the files below /);
  assert.deepEqual(ownOf(half)["Shop.Formatter.pp/2"]?.slice(0, 2), [700, 0]);
  rmSync(join(shallow, ".git"), { recursive: true });
  const nowhere = await helperJson(["diff", before, "--", after, "--own", shallow]);
  assert.match(notesOf(nowhere, "name_alone").join(), /is in no git repository/);
  const imported = await helperJson(["diff", silent, "--", silent, "--source-dir", shallow]);
  assert.deepEqual(notesOf(imported, "name_alone"), []);
});

test("a machine without git reports it", async (t) => {
  const { folder, before, after } = await twoCommits(t);
  const wrapper = ["unshare", "-m", "sh", "-c", 'mount --bind /dev/null "$(command -v git)" && exec "$0" "$@"'];
  const run = await runHelper(["diff", before, "--", after, "--own", folder], { wrapper });
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stdout, /note: functions are matched by name alone: there is no git here/);
  assert.equal(run.stderr, "");
});

test("headers, macros and renames that git does not list are named", async (t) => {
  const { folder, before, after } = await twoCommits(t);
  const programs = temporaryFolder(t);
  // A program of git does what its own name states.
  const [fake, real] = [join(programs, "git"), join(programs, "real/git")];
  mkdirSync(join(programs, "real"));
  const script = `git="$(command -v git)" && cp "$git" "${real}" && mount --bind "${fake}" "$git" && exec "$0" "$@"`;
  const wrapper = ["unshare", "-m", "sh", "-c", script];
  const args = ["diff", before, "--", after, "--own", folder, "--fail-if", "touched.slower>5%"];
  for (const [question, said] of /** @type {const} */ ([
    ["*.hrl*", "functions of files that include a changed header may count as the same: not all headers were read"],
    ["*--raw*", "functions of files that use a changed macro may count as the same: not all changed files were read"],
    ["*--find-renames*", "renamed files count as different files: git did not list the renames in time"],
  ])) {
    writeFileSync(fake, `#!/bin/sh\ncase "$*" in ${question}) exit 1;; esac\nexec "${real}" "$@"\n`, { mode: 0o755 });
    const run = await runHelper(args, { wrapper });
    assert.equal(run.code, 7, run.stderr);
    assert.ok(run.stdout.includes(`note: ${said}`), run.stdout);
    assert.ok(run.stdout.includes(`the functions that the commit touched are not known: ${said}`), run.stdout);
    assert.ok(!run.stdout.includes("by name alone"), run.stdout);
  }
});

test("a function that one side alone sampled is in the code of both, or was touched", async (t) => {
  const folder = temporaryFolder(t);
  git(folder, "init", "-q", "-b", "main");
  const committed = (/** @type {string} */ name) => {
    git(folder, "add", ".");
    git(folder, "commit", "-qm", name);
    return git(folder, "rev-parse", "HEAD");
  };
  for (const name of ["shop", "mail", "page"]) write(folder, `src/${name}.erl`, `-module(${name}).\nrun() -> a.\n`);
  const first = committed("first");
  write(folder, "src/mail.erl", "-module(mail).\nrun() -> {b, c}.\n");
  write(folder, "src/till.erl", "-module(till).\nrun() -> a.\n");
  const second = committed("second");
  const stack = (/** @type {string} */ name) => `shop:run/0 (src/shop.erl:2);${name}:run/0 (src/${name}.erl:2)`;
  const captures = temporaryFolder(t);
  const before = await captureOf(join(captures, "1.pb.gz"), { [stack("shop")]: 1000 }, { folder, commit: first });
  const sampled = { [stack("shop")]: 400, [stack("mail")]: 200, [stack("page")]: 200, [stack("till")]: 200 };
  const after = await captureOf(join(captures, "2.pb.gz"), sampled, { folder, commit: second });
  const { functions } = await helperJson(["diff", before, "--", after, "--source-dir", folder]);
  const touched = (/** @type {string} */ name) =>
    functions.find((/** @type {any} */ row) => row.function === `${name}:run/0`)?.touched;
  assert.deepEqual(["shop", "page", "mail", "till"].map(touched), [false, false, true, true]);
});

test("a header that is too long to be read may include a changed one", async (t) => {
  const folder = temporaryFolder(t);
  git(folder, "init", "-q", "-b", "main");
  const committed = (/** @type {string} */ value) => {
    write(folder, "include/a.hrl", `-define(A, ${value}).\n`);
    git(folder, "add", ".");
    git(folder, "commit", "-qm", value);
    return git(folder, "rev-parse", "HEAD");
  };
  write(folder, "src/shop.erl", "-module(shop).\nrun() -> ok.\n");
  write(folder, "include/long.hrl", `${"% long\n".repeat(300_000)}-include("a.hrl").\n`);
  const captures = temporaryFolder(t);
  const sides = ["1", "2"].map((value) => {
    const commit = committed(value);
    return captureOf(
      join(captures, `${value}.pb.gz`),
      { "shop:run/0 (src/shop.erl:2);lists:map/2": 1000 },
      { folder, commit },
    );
  });
  const [before = "", after = ""] = await Promise.all(sides);
  const run = await runHelper(["diff", before, "--", after, "--source-dir", folder, "--fail-if", "touched.slower>5%"]);
  assert.equal(run.code, 7, run.stdout + run.stderr);
  assert.match(run.stdout, /note: functions of files that include a changed header may count as the same: not all /);
});

test("a missing folder and captures without samples each have their own error", async (t) => {
  const { folder, captures, before, after } = await twoCommits(t);
  for (const option of ["--source-dir", "--own"]) {
    const run = await runHelper(["diff", before, "--", after, option, "/no/such/folder"]);
    assertRefused(run, 2);
    assert.match(run.stderr, /the folder \/no\/such\/folder is missing/);
    const file = await runHelper(["diff", before, "--", after, option, before]);
    assertRefused(file, 2);
    assert.match(file.stderr, /before\.pb\.gz is no folder/);
  }
  const empty = join(captures, "empty.pb.gz");
  writeFileSync(
    empty,
    changedCapture(readFileSync(before), () => 0),
  );
  for (const options of [[], ["--own", folder]]) {
    const run = await runHelper(["diff", before, "--", empty, ...options]);
    assertRefused(run, 1);
    assert.match(run.stderr, /empty\.pb\.gz has no busy samples.*record again: extrospect record PID/);
  }
  assert.equal(
    (await runHelper(["diff", before, "--", empty, "--own", folder, "--fail-if", "slower>5%", "--bisect"])).code,
    125,
  );
});
