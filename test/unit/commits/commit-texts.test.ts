import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { renamedFiles, textsOf } from "../../../extension/src/commits/commit-texts.js";
import { commitByGit } from "../../../extension/src/commits/folder-commit.js";
import { GitProgram } from "../../../extension/src/commits/git-program.js";
import { hashSources } from "../../../extension/src/commits/source-hashes.js";

/** Asked of a machine that is busy with other tests. */
const PATIENT = new GitProgram("git", 60_000);

const NO_RULES = () => undefined;

test("the texts of two commits, by hashes and by commit, and what was renamed", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-texts-"));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const git = (...args: string[]) => execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@host", ...args], { cwd: folder, encoding: "utf8" }).trim();
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
  const after = { ...(await origin()), sources: await hashSources(folder, [join(folder, "apps/a/src/store.erl")], (await origin()).commit) };

  const reported = ["/build/apps/a/src/shop.erl", "src/shop.erl", "lists.erl"];
  assert.deepEqual(await textsOf(PATIENT, folder, before, reported, NO_RULES), { "/build/apps/a/src/shop.erl": { path: "apps/a/src/shop.erl", text: text("shop").trimEnd() } });
  assert.deepEqual(Object.keys(await textsOf(PATIENT, folder, after, ["store.erl", "shop.erl"], NO_RULES)), ["store.erl"]);
  // Rules go before what is alike, unless they lead to nothing that the commit has.
  const ruled = async (...files: string[]) =>
    Object.values(await textsOf(PATIENT, folder, before, ["/build/apps/a/src/shop.erl"], () => files.map((file) => join(folder, file)))).map(({ path }) => path);
  assert.deepEqual(await ruled("apps/b/src/shop.erl"), ["apps/b/src/shop.erl"]);
  assert.deepEqual(await ruled("../shop.erl", "apps/c/src/shop.erl"), ["apps/a/src/shop.erl"]);
  assert.deepEqual(await ruled(), []);
  assert.deepEqual(await renamedFiles(PATIENT, folder, before, after), [["apps/a/src/shop.erl", "apps/a/src/store.erl"]]);

  const unknown = { ...before, commit: "0".repeat(40) };
  assert.deepEqual(await textsOf(PATIENT, folder, unknown, reported, NO_RULES), {});
  assert.deepEqual(await renamedFiles(PATIENT, folder, unknown, after), []);
});
