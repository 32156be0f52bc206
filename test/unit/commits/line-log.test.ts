// Which commits touched lines, in repositories of every shape.
import "../../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commitRange } from "../../../extension/src/commits/commit-range.js";
import { GitProgram } from "../../../extension/src/commits/git-program.js";
import { lineLog, parsedLog } from "../../../extension/src/commits/line-log.js";
import { until } from "../../until.mjs";
import { repositoryIn, testFolder, testRepository } from "./test-repository.js";

/** Patient with a machine that is busy with other tests. */
const PATIENT = new GitProgram("git", 60_000);
const LINES = ["one", "two", "three", "four", "five", "six"];
const text = (changes: Record<number, string> = {}) =>
  `${LINES.map((line, index) => changes[index + 1] ?? line).join("\n")}\n`;

test("commits that touched the lines, newest first, with what they touched; others are not among them", async (t) => {
  const { folder: top, commit } = testRepository(t);
  const older = commit("first", { "src/shop.erl": text() });
  const second = commit("two is changed", { "src/shop.erl": text({ 2: "TWO" }) });
  commit("five is changed", { "src/shop.erl": text({ 2: "TWO", 5: "FIVE" }) });
  const newer = commit("two and three", { "src/shop.erl": text({ 2: "2", 3: "3\n3b", 5: "FIVE" }) });
  const log = await lineLog(
    PATIENT,
    { top, older, newer, path: "src/shop.erl", ranges: [{ start: 1, end: 4 }], most: 10 },
    {},
  );
  assert.deepEqual(log, {
    commits: [
      {
        commit: newer,
        parents: [parentOf(top, newer)],
        author: "Ada Lovelace",
        authoredUnixMs: Date.UTC(2026, 10, 20, 12, 4),
        subject: "two and three",
        path: "src/shop.erl",
        oldPath: "src/shop.erl",
        lines: [{ start: 2, end: 4 }],
      },
      {
        commit: second,
        parents: [older],
        author: "Ada Lovelace",
        authoredUnixMs: Date.UTC(2026, 10, 20, 12, 2),
        subject: "two is changed",
        path: "src/shop.erl",
        oldPath: "src/shop.erl",
        lines: [{ start: 2, end: 2 }],
      },
    ],
    isCut: false,
  });
  const cut = await lineLog(
    PATIENT,
    { top, older, newer, path: "src/shop.erl", ranges: [{ start: 1, end: 4 }], most: 1 },
    {},
  );
  assert.deepEqual([cut?.commits.map(({ commit: name }) => name), cut?.isCut], [[newer], true]);
});

test("a renamed file is followed, lines that were only removed have the line before, an added file has no old path", async (t) => {
  const { folder: top, git, commit } = testRepository(t);
  const root = commit("nothing yet", { "README.md": "shop" });
  const added = commit("added", { "src/shop.erl": text() });
  git("mv", "src/shop.erl", "src/store.erl");
  const renamed = commit("renamed and changed", { "src/store.erl": text({ 2: "TWO" }) });
  const shorter = commit("shorter", { "src/store.erl": text({ 2: "TWO" }).replace("three\n", "") });
  const log = await lineLog(
    PATIENT,
    { top, older: root, newer: shorter, path: "src/store.erl", ranges: [{ start: 1, end: 4 }], most: 10 },
    {},
  );
  assert.deepEqual(
    log?.commits.map(({ commit: name, path, oldPath, lines }) => [name, oldPath, path, lines]),
    [
      [shorter, "src/store.erl", "src/store.erl", [{ start: 2, end: 2 }]],
      [renamed, "src/shop.erl", "src/store.erl", [{ start: 2, end: 2 }]],
      [added, "", "src/shop.erl", [{ start: 1, end: 5 }]],
    ],
  );
});

test("commits that came by a merge are found, and a merge that changed the lines itself has two parents", async (t) => {
  const { folder: top, git, commit } = testRepository(t);
  const older = commit("first", { "a.erl": text() });
  git("switch", "-qc", "feature");
  const feature = commit("on the branch", { "a.erl": text({ 2: "TWO" }) });
  git("switch", "-q", "main");
  commit("on main", { "b.erl": "1" });
  git("merge", "-q", "--no-commit", "--no-ff", "feature");
  const merge = commit("merged, and changed", { "a.erl": text({ 2: "TWO", 3: "THREE" }) });
  const log = await lineLog(
    PATIENT,
    { top, older, newer: merge, path: "a.erl", ranges: [{ start: 1, end: 4 }], most: 10 },
    {},
  );
  assert.deepEqual(
    log?.commits.map(({ commit: name, parents }) => [name, parents.length]),
    [
      [merge, 2],
      [feature, 1],
    ],
  );
});

test("without an answer of git there is none: no git, no such commit, path or line, a program that hangs, a cancelled query", async (t) => {
  const { folder: top, commit } = testRepository(t);
  const older = commit("first", { "a.erl": text() });
  const newer = commit("second", { "a.erl": text({ 2: "TWO" }) });
  const question = { top, older, newer, path: "a.erl", ranges: [{ start: 1, end: 4 }], most: 10 };
  assert.equal((await lineLog(PATIENT, question, {}))?.commits.length, 1);
  assert.equal(await lineLog(new GitProgram("/nowhere/git"), question, {}), undefined);
  assert.equal(await lineLog(PATIENT, { ...question, older: "0".repeat(40) }, {}), undefined);
  assert.equal(await lineLog(PATIENT, { ...question, older: "--output=x" }, {}), undefined);
  assert.equal(await lineLog(PATIENT, { ...question, path: "b.erl" }, {}), undefined);
  assert.equal(await lineLog(PATIENT, { ...question, path: "a\nb" }, {}), undefined);
  assert.equal(await lineLog(PATIENT, { ...question, ranges: [] }, {}), undefined);
  assert.equal(await lineLog(PATIENT, { ...question, ranges: [{ start: 100, end: 200 }] }, {}), undefined);
  const hanging = join(testFolder(t), "git");
  const started = `${hanging}.started`;
  writeFileSync(hanging, `#!/bin/sh\ntouch ${started}\nexec sleep 1000\n`);
  chmodSync(hanging, 0o755);
  assert.equal(await lineLog(new GitProgram(hanging, 300), question, { patienceMs: 100 }), undefined);
  const gone = new AbortController();
  rmSync(started, { force: true });
  const asked = lineLog(new GitProgram(hanging, 5_000), question, { signal: gone.signal });
  await until("git runs", () => existsSync(started));
  gone.abort();
  assert.equal(await asked, undefined);
});

test("no program that a repository names is started, and no setting of it changes the answer", async (t) => {
  const { folder: top, git, write, commit } = testRepository(t);
  const [trap, sprung] = [join(top, "trap"), join(top, "sprung")];
  writeFileSync(trap, `#!/bin/sh\necho $0 $* >> ${sprung}\ncat $1\n`);
  chmodSync(trap, 0o755);
  write(".gitattributes", "*.erl diff=trapped filter=trapped\n");
  const older = commit("first", { "a.erl": text() });
  const newer = commit("second", { "a.erl": text({ 2: "TWO" }) });
  for (const key of [
    "diff.external",
    "diff.trapped.textconv",
    "diff.trapped.command",
    "core.fsmonitor",
    "core.pager",
    "gpg.program",
    "core.alternateRefsCommand",
  ])
    git("config", key, trap);
  for (const [key, value] of [
    ["color.ui", "always"],
    ["diff.noprefix", "true"],
    ["diff.mnemonicPrefix", "true"],
    ["log.showSignature", "true"],
    ["log.date", "relative"],
    ["diff.context", "0"],
    ["format.pretty", "email"],
  ] as const)
    git("config", key, value);
  const log = await lineLog(
    PATIENT,
    { top, older, newer, path: "a.erl", ranges: [{ start: 1, end: 4 }], most: 10 },
    {},
  );
  assert.deepEqual(
    log?.commits.map(({ commit: name, path, lines }) => [name, path, lines]),
    [[newer, "a.erl", [{ start: 2, end: 2 }]]],
  );
  assert.equal(existsSync(sprung), false);
});

test("a text that looks like output of git is a text", () => {
  const [commit, other] = ["a".repeat(40), "b".repeat(40)];
  const told = `\0${commit}\0\0me\0${1}\0subject\r\0${other}\0\0\0\0\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,1 +1,3 @@\n+++ b/y\n+\r\0${other}\0\0me\0${2}\0fake\n @@ -9 +9 @@\n`;
  const commits = parsedLog(told);
  assert.deepEqual(
    commits.map(({ commit: name, path, lines }) => [name, path, lines]),
    [[commit, "x", [{ start: 1, end: 2 }]]],
  );
});

test("commits between two others, however they relate", async (t) => {
  const { folder: top, git, commit } = testRepository(t);
  const first = commit("first", { "a.erl": "1" });
  const second = commit("second", { "a.erl": "2" });
  git("switch", "-qc", "feature", first);
  const feature = commit("feature", { "b.erl": "1" });
  git("switch", "-q", "--orphan", "other");
  const other = commit("other", { "c.erl": "1" });
  const range = (base: string, newer: string) => commitRange(PATIENT, top, base, newer);
  assert.deepEqual(await range(first, second), {
    relation: "ahead",
    older: first,
    newer: second,
    count: 1,
    isShallow: false,
  });
  assert.deepEqual(await range(second, first), {
    relation: "behind",
    older: first,
    newer: second,
    count: 1,
    isShallow: false,
  });
  assert.deepEqual(await range(second, feature), {
    relation: "diverged",
    older: first,
    newer: feature,
    count: 1,
    isShallow: false,
  });
  assert.deepEqual(await range(first, first), {
    relation: "same",
    older: first,
    newer: first,
    count: 0,
    isShallow: false,
  });
  assert.deepEqual(await range(first, other), { why: "unrelated", isShallow: false });
  assert.deepEqual(await range("", first), { why: "unnamed", side: "base" });
  assert.deepEqual(await range(first, "HEAD"), { why: "unnamed", side: "new" });
  assert.deepEqual(await range(first, "0".repeat(40)), { why: "absent", commit: "0".repeat(40), isShallow: false });
  // A blob is no commit.
  assert.equal("why" in (await range(first, git("rev-parse", "HEAD:c.erl"))), true);
});

test("a shallow clone is reported as one", async (t) => {
  const { folder: origin, commit } = testRepository(t);
  const first = commit("first", { "a.erl": "1" });
  const second = commit("second", { "a.erl": "2" });
  const third = commit("third", { "a.erl": "3" });
  const folder = join(testFolder(t), "clone");
  repositoryIn(testFolder(t)).git("clone", "-q", "--depth", "2", `file://${origin}`, folder);
  assert.deepEqual(await commitRange(PATIENT, folder, first, third), { why: "absent", commit: first, isShallow: true });
  assert.deepEqual(await commitRange(PATIENT, folder, second, third), {
    relation: "ahead",
    older: second,
    newer: third,
    count: 1,
    isShallow: true,
  });
});

function parentOf(folder: string, commit: string): string {
  return repositoryIn(folder).git("rev-parse", `${commit}^`);
}
