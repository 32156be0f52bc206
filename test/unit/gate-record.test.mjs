// The record of a run, for programs that ask whether a commit is proven.
import "../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { checkoutState, stateOfRun, writeGateRecord } from "../../scripts/gate-record.mjs";

test("the record of a run has its commit and result", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-gate-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "below/gate.json");
  const record = {
    nightly: false,
    counts: { passed: 3, failed: 1 },
    skipped: ["test/b.test.mjs: b: no perf"],
    unstable: ["test/a.test.mjs"],
    passed: false,
    seconds: 60,
    cpuSeconds: 100,
    lanes: { vms: { seconds: 105, cpuSeconds: 15 } },
  };
  const state = { commit: "abc", isClean: true, changedDuring: [] };
  writeGateRecord(state, record, path);
  const { date, ...written } = JSON.parse(readFileSync(path, "utf8"));
  assert.deepEqual(written, { ...state, ...record });
  assert.ok(date);
});

test("a run proves a commit only where the sources were that commit to its end", () => {
  const clean = { commit: "abc", changes: [] };
  assert.deepEqual(stateOfRun(clean, clean), { commit: "abc", isClean: true, changedDuring: [] });
  const changed = { commit: "abc", changes: [" M scripts/test.mjs"] };
  assert.deepEqual(stateOfRun(clean, changed), {
    commit: "abc",
    isClean: false,
    changedDuring: [" M scripts/test.mjs"],
  });
  assert.deepEqual(stateOfRun(changed, clean), {
    commit: "abc",
    isClean: false,
    changedDuring: ["no longer:  M scripts/test.mjs"],
  });
  assert.deepEqual(stateOfRun(changed, changed), { commit: "abc", isClean: false, changedDuring: [] });
  assert.deepEqual(stateOfRun(clean, { ...clean, commit: "def" }), {
    commit: "abc",
    isClean: false,
    changedDuring: ["the commit, from abc to def"],
  });
  const none = { commit: null, changes: null };
  assert.deepEqual(stateOfRun(none, none), { commit: null, isClean: false, changedDuring: [] });
});

test("the state of a checkout has its commit and each change", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-gate-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  assert.deepEqual(await checkoutState(folder), { commit: null, changes: null });
  const git = (/** @type {string[]} */ ...words) =>
    execFileSync("git", words, { cwd: folder, encoding: "utf8" }).trim();
  git("init", "--quiet");
  writeFileSync(join(folder, "a"), "1");
  git("add", "a");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "a");
  const commit = git("rev-parse", "HEAD");
  assert.deepEqual(await checkoutState(folder), { commit, changes: [] });
  writeFileSync(join(folder, "a"), "2");
  writeFileSync(join(folder, "b"), "");
  assert.deepEqual(await checkoutState(folder), { commit, changes: [" M a", "?? b"] });
});

test("nothing that git is configured to hide counts as clean", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-gate-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const git = (/** @type {string[]} */ ...words) => execFileSync("git", words, { cwd: folder, encoding: "utf8" });
  git("init", "--quiet");
  git("config", "status.showUntrackedFiles", "no");
  for (const name of ["assumed", "skipped", "plain"]) writeFileSync(join(folder, name), "1");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "a");
  assert.deepEqual((await checkoutState(folder)).changes, []);
  mkdirSync(join(folder, "new"));
  for (const name of ["new/a", "new/b"]) writeFileSync(join(folder, name), "");
  assert.deepEqual((await checkoutState(folder)).changes, ["?? new/a", "?? new/b"]);
  git("update-index", "--assume-unchanged", "assumed");
  git("update-index", "--skip-worktree", "skipped");
  rmSync(join(folder, "new"), { recursive: true });
  writeFileSync(join(folder, "assumed"), "2");
  assert.deepEqual((await checkoutState(folder)).changes, [" M assumed"]);
  writeFileSync(join(folder, "skipped"), "2");
  assert.deepEqual((await checkoutState(folder)).changes, [" M assumed", " M skipped"]);
});

test("no configuration of git hides a change", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-gate-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const git = (/** @type {string[]} */ ...words) => execFileSync("git", words, { cwd: folder, encoding: "utf8" });
  git("init", "--quiet");
  for (const name of ["edited", "same-size", "mode"]) writeFileSync(join(folder, name), "1");
  const long = Date.now() / 1000 - 1000;
  utimesSync(join(folder, "same-size"), long, long);
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "a");
  const excluded = join(folder, ".git/excluded");
  writeFileSync(excluded, "hidden-*\n");
  for (const [name, value] of [
    ["core.excludesFile", excluded],
    ["core.trustctime", "false"],
    ["core.checkStat", "minimal"],
    ["core.fileMode", "false"],
  ])
    git("config", name ?? "", value ?? "");
  assert.deepEqual((await checkoutState(folder)).changes, []);
  writeFileSync(join(folder, "hidden-new"), "");
  writeFileSync(join(folder, "same-size"), "2");
  utimesSync(join(folder, "same-size"), long, long);
  chmodSync(join(folder, "mode"), 0o755);
  assert.deepEqual((await checkoutState(folder)).changes, [" M mode", " M same-size", "?? hidden-new"]);
  // A program that reports no change, and is believed from its first look on.
  writeFileSync(join(folder, ".git/monitor"), '#!/bin/sh\nprintf "1\\0"\n', { mode: 0o755 });
  git("config", "core.fsmonitor", join(folder, ".git/monitor"));
  git("update-index", "--fsmonitor");
  git("status");
  writeFileSync(join(folder, "edited"), "other");
  assert.deepEqual((await checkoutState(folder)).changes, [" M edited", " M mode", " M same-size", "?? hidden-new"]);
});
