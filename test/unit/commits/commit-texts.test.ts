import "../../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { renamedFiles, textsOf } from "../../../extension/src/commits/commit-texts.js";
import { commitByGit } from "../../../extension/src/commits/folder-commit.js";
import { GitProgram } from "../../../extension/src/commits/git-program.js";
import { submodulesOf } from "../../../extension/src/commits/submodules.js";
import { testFolder, testRepository, type TestRepository } from "./test-repository.js";
import { hashSources } from "../../../extension/src/commits/source-hashes.js";

/** Patient with a machine that is busy with other tests. */
const PATIENT = new GitProgram("git", 60_000);

const NO_RULES = () => undefined;

const originOf = (commit: string) => ({
  repository: "",
  commit,
  branch: "",
  dirty: false,
  describe: "",
  sources: {},
  assigned: false,
});

test("the texts of two commits, by hashes and by commit, and what was renamed", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-texts-"));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@host", ...args], {
      cwd: folder,
      encoding: "utf8",
    }).trim();
  const origin = async () => {
    const told = await commitByGit(PATIENT, folder);
    assert.ok(told !== undefined);
    return told.origin;
  };
  const text = (name: string) => `-module(${name}).\n%% one\n%% two\n%% three\n%% four\n`;
  git("init", "-q", "-b", "main");
  for (const place of ["apps/a/src", "apps/b/src"]) {
    mkdirSync(join(folder, place), { recursive: true });
    writeFileSync(join(folder, place, "shop.erl"), text("shop"));
  }
  git("add", ".");
  git("commit", "-qm", "first");
  const before = await origin();
  git("mv", "apps/a/src/shop.erl", "apps/a/src/store.erl");
  writeFileSync(join(folder, "apps/a/src/store.erl"), text("store"));
  git("commit", "-qam", "second");
  const after = {
    ...(await origin()),
    sources: await hashSources(folder, [join(folder, "apps/a/src/store.erl")], (await origin()).commit),
  };

  const reported = ["/build/apps/a/src/shop.erl", "src/shop.erl", "lists.erl"];
  assert.deepEqual(await textsOf(PATIENT, folder, before, reported, NO_RULES), {
    "/build/apps/a/src/shop.erl": { path: "apps/a/src/shop.erl", text: text("shop").trimEnd() },
  });
  // What the capture does not name is as its commit has it, unless its sources had changes.
  for (const [dirty, found] of [
    [false, ["store.erl", "shop.erl"]],
    [true, ["store.erl"]],
  ] as const) {
    const texts = await textsOf(PATIENT, folder, { ...after, dirty }, ["store.erl", "shop.erl"], NO_RULES);
    assert.deepEqual(Object.keys(texts ?? {}), found);
  }
  // Rules go before similarity, unless they lead to nothing that the commit has.
  const ruled = async (...files: string[]) =>
    Object.values(
      (await textsOf(PATIENT, folder, before, ["/build/apps/a/src/shop.erl"], () =>
        files.map((file) => join(folder, file)),
      )) ?? {},
    ).map(({ path }) => path);
  assert.deepEqual(await ruled("apps/b/src/shop.erl"), ["apps/b/src/shop.erl"]);
  assert.deepEqual(await ruled("../shop.erl", "apps/c/src/shop.erl"), ["apps/a/src/shop.erl"]);
  assert.deepEqual(await ruled(), []);
  assert.deepEqual(await renamedFiles(PATIENT, folder, before, after), [
    ["apps/a/src/shop.erl", "apps/a/src/store.erl"],
  ]);
  // What one commit lacks has no path there.
  git("rm", "-q", "apps/a/src/store.erl");
  writeFileSync(join(folder, "mail.erl"), "send() -> ok.\n");
  git("add", "mail.erl");
  git("commit", "-qm", "third");
  assert.deepEqual(await renamedFiles(PATIENT, folder, after, await origin()), [
    ["apps/a/src/store.erl", ""],
    ["", "mail.erl"],
  ]);

  const unknown = { ...before, commit: "0".repeat(40) };
  assert.equal(await textsOf(PATIENT, folder, unknown, reported, NO_RULES), undefined);
  assert.equal(await renamedFiles(PATIENT, folder, unknown, after), undefined);
});

/** More than any other answer of git may have: 60,000 files of one content below `deep`, with names of 90 bytes. */
function commitOfManyFiles(repository: TestRepository, folder: string): string {
  const object = repository.git("rev-parse", "HEAD:src/shop.erl");
  const lines = Array.from(
    { length: 60_000 },
    (_, index) => `100644 ${object}\t${folder}/${"x".repeat(60)}${String(index).padStart(8, "0")}.txt\n`,
  );
  execFileSync("git", ["update-index", "--add", "--index-info"], { cwd: repository.folder, input: lines.join("") });
  repository.git("commit", "-qm", folder);
  return repository.git("rev-parse", "HEAD");
}

test("a repository with very many files has the texts of the few requested ones, and its submodules", async (t) => {
  const repository = testRepository(t);
  repository.commit("first", { "src/shop.erl": "-module(shop).\n" });
  repository.git("update-index", "--add", "--cacheinfo", `160000,${"ab".repeat(20)},vendor/lib`);
  const commit = commitOfManyFiles(repository, "deep/apart");
  const origin = { ...originOf(commit), commit };
  assert.deepEqual(await textsOf(PATIENT, repository.folder, origin, ["/build/src/shop.erl"], NO_RULES), {
    "/build/src/shop.erl": { path: "src/shop.erl", text: "-module(shop)." },
  });
  assert.deepEqual(await submodulesOf(PATIENT, repository.folder, commit), [
    { path: "vendor/lib", commit: "ab".repeat(20), top: undefined },
  ]);
});

test("an answer that breaks off is none: a part of the files would pass for all of them", async (t) => {
  const repository = testRepository(t);
  const commit = repository.commit("first", { "src/shop.erl": "-module(shop).\n", "a.erl": "" });
  const program = join(testFolder(t), "git");
  writeFileSync(program, '#!/bin/sh\ncase "$*" in *ls-tree*) git "$@" | head -c 60; exit 1;; esac\nexec git "$@"\n', {
    mode: 0o755,
  });
  const broken = new GitProgram(program, 60_000);
  assert.equal(await textsOf(broken, repository.folder, originOf(commit), ["a.erl"], NO_RULES), undefined);
  const parts: string[] = [];
  const args = ["ls-tree", "-r", "-z", "--name-only", commit];
  assert.equal(await PATIENT.parts(repository.folder, args, (part) => parts.push(part)), true);
  assert.deepEqual(parts, ["a.erl", "src/shop.erl"]);
});
