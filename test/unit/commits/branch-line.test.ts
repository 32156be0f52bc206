// Branches, and the commits that one has and another lacks.
import "../../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import {
  branchesOf,
  branchLine,
  commitsBetween,
  isShallow,
  type Branch,
} from "../../../extension/src/commits/branch-line.js";
import { GitProgram } from "../../../extension/src/commits/git-program.js";
import { repositoryIn, testFolder, testRepository } from "./test-repository.js";

/** Patient with a machine that is busy with other tests. */
const PATIENT = new GitProgram("git", 60_000);

async function named(folder: string, name: string): Promise<Branch> {
  const found = (await branchesOf(PATIENT, folder))?.branches.find((branch) => branch.name === name);
  assert.ok(found !== undefined, name);
  return found;
}

test("a branch is held against where it left another, however far that went on", async (t) => {
  const { folder, git, commit } = testRepository(t);
  const first = commit("first", { "a.erl": "1" });
  const second = commit("second", { "a.erl": "2" });
  git("switch", "-qc", "feature");
  const own = [commit("own one", { "b.erl": "1" }), commit("own two", { "b.erl": "2" })];
  git("switch", "-q", "main");
  commit("main goes on", { "a.erl": "3" });
  const known = await branchesOf(PATIENT, folder);
  assert.deepEqual(
    known?.branches.map(({ name }) => name),
    ["main", "feature"],
  );
  assert.equal(known.main?.name, "main");
  const [feature, main] = [await named(folder, "feature"), await named(folder, "main")];
  assert.equal(feature.subject, "own two");
  assert.deepEqual(await branchLine(PATIENT, folder, feature, main), {
    tip: own[1],
    mergeBase: second,
    own: own.reverse(),
    before: [second, first],
  });
  assert.equal(await commitsBetween(PATIENT, folder, first, second), 1);
  assert.equal(await commitsBetween(PATIENT, folder, "HEAD", second), undefined);
});

test("a branch without commits of its own, one without anything in common, and one that is gone", async (t) => {
  const { folder, git, commit } = testRepository(t);
  commit("first", { "a.erl": "1" });
  git("branch", "merged");
  commit("second", { "a.erl": "2" });
  git("switch", "-q", "--orphan", "other");
  commit("another history", { "c.erl": "1" });
  const main = await named(folder, "main");
  assert.equal(await branchLine(PATIENT, folder, await named(folder, "merged"), main), "nothingOwn");
  assert.equal(await branchLine(PATIENT, folder, await named(folder, "other"), main), "nothingInCommon");
  assert.equal(await branchLine(PATIENT, folder, { ...main, ref: "refs/heads/gone" }, main), "unknown");
});

test("detached, shallow, and branches of the remote that are here, too", async (t) => {
  const { folder: origin, git, commit } = testRepository(t);
  commit("first", { "a.erl": "1" });
  git("switch", "-qc", "feature");
  commit("second", { "a.erl": "2" });
  git("switch", "-q", "main");
  const folder = join(testFolder(t), "clone");
  git("clone", "-q", "--depth", "1", "--no-single-branch", `file://${origin}`, folder);
  const clone = repositoryIn(folder);
  clone.git("switch", "-q", "--detach");
  const known = await branchesOf(PATIENT, folder);
  assert.deepEqual(known?.branches.map(({ name }) => name).sort(), ["HEAD", "main", "origin/feature", "origin/main"]);
  assert.equal(known.main?.name, "origin/main");
  assert.equal(await isShallow(PATIENT, folder), true);
  assert.equal(await isShallow(PATIENT, origin), false);
  // The common ancestor is beyond the end of the clone.
  assert.equal(
    await branchLine(PATIENT, folder, await named(folder, "origin/feature"), await named(folder, "main")),
    "nothingInCommon",
  );
});

test("without git or a repository there are no branches; without a commit there is none to compare", async (t) => {
  const folder = testFolder(t);
  assert.equal(await branchesOf(PATIENT, folder), undefined);
  assert.equal(await branchesOf(new GitProgram("/nowhere/git"), folder), undefined);
  assert.deepEqual(await branchesOf(PATIENT, testRepository(t).folder), { branches: [], main: undefined });
});
