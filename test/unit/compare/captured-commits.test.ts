// Which captures stand for a commit and for a branch, and the text about the choice.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  branchSides,
  captured,
  capturedCommits,
  olderCommitFirst,
  type CommittedCapture,
} from "../../../extension/src/comparison/captured-commits.js";
import { branchRemarks, comparandsOfCommits, commitText } from "../../../extension/src/comparison/commit-comparands.js";

const WORDS = {
  t: (message: string, ...values: (string | number | boolean)[]) =>
    message.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)])),
};
const [A, B, C, D] = ["a", "b", "c", "d"].map((letter) => letter.repeat(40)) as [string, string, string, string];

const row = (uri: string, commit: string, { isDirty = false, at = 0, branch = "main" } = {}): CommittedCapture => ({
  uri,
  mtime: at,
  summary: { commit, branch, isDirty, startedUnixMs: at },
});

test("commits along history, changed sources apart, the newest captures first; what has no commit is left out", () => {
  const rows = [
    row("a1", A, { at: 1 }),
    row("a2", A, { at: 5 }),
    row("b+", B, { at: 3, isDirty: true }),
    row("b", B, { at: 2 }),
    row("d", D, { at: 9 }),
    row("none", ""),
    { uri: "bad", mtime: 4, summary: null },
  ];
  const commits = capturedCommits(rows, [B, A]);
  assert.deepEqual(
    commits.map((one) => [commitText(one, WORDS), one.captures]),
    [
      ["bbbbbbb with changes", ["b+"]],
      ["bbbbbbb", ["b"]],
      ["aaaaaaa", ["a2", "a1"]],
      ["ddddddd", ["d"]],
    ],
  );
  assert.deepEqual(captured(commits, B)?.captures, ["b"]);
  assert.equal(captured(commits, C), undefined);
});

test("the newest commit of a branch with captures against the merge base, or what is nearest before it", () => {
  const line = { tip: D, mergeBase: B, own: [D, C], before: [B, A] };
  const all = capturedCommits([row("a", A), row("c", C), row("b+", B, { isDirty: true })], [D, C, B, A]);
  const { branch, bases } = branchSides(line, all, 5);
  assert.deepEqual([branch?.captures, bases.map(({ captures }) => captures)], [["c"], [["a"]]]);
  const [base] = bases;
  assert.ok(branch !== undefined && base !== undefined);
  const remarks = branchRemarks(
    { branch: "feature", against: "main", tip: D, mergeBase: B, newer: branch, behindTip: 1, base, beforeMergeBase: 3 },
    WORDS,
  );
  assert.deepEqual(remarks, [
    "feature is compared with bbbbbbb, where it branched off main.",
    "ddddddd, the newest commit of feature, has no capture: ccccccc was used instead, 1 commit older.",
    "The merge base bbbbbbb has no capture: aaaaaaa was used instead, 3 commits older.",
  ]);
  // The merge base itself ends the search.
  const withBase = capturedCommits([row("a", A), row("b", B), row("d+", D, { isDirty: true })], [D, C, B, A]);
  const sides = branchSides(line, withBase, 5);
  assert.deepEqual([sides.branch?.captures, sides.bases.map(({ captures }) => captures)], [["d+"], [["b"]]]);
  assert.deepEqual(branchSides(line, [], 5), { branch: undefined, bases: [] });
});

test("a side has at most fifty captures, the newest, with the number of the others", () => {
  const rows = Array.from({ length: 60 }, (_, index) => row(`a${index}`, A, { at: index + 1 }));
  const [a, b] = capturedCommits([...rows, row("b", B)], [A, B]);
  assert.ok(a !== undefined && b !== undefined);
  const { new: newer, remarks } = comparandsOfCommits(b, a, WORDS);
  assert.deepEqual(
    [newer.length, newer[0], remarks],
    [50, "a59", ["The 50 newest of the 60 captures of aaaaaaa are compared."]],
  );
  assert.equal(comparandsOfCommits(b, b, WORDS).remarks, undefined);
});

test("of two commits history decides which is the older one, whatever the clocks of the recordings", () => {
  const [a, b] = capturedCommits([row("a", A, { at: 100 }), row("b", B, { at: 900 })], [A, B]);
  assert.ok(a !== undefined && b !== undefined);
  assert.deepEqual(olderCommitFirst(a, b, [A, B]), [b, a]);
  assert.deepEqual(olderCommitFirst(a, b, []), [a, b]);
  const changed = { ...a, isDirty: true, newestUnixMs: 1 };
  assert.deepEqual(olderCommitFirst(changed, a, [A, B]), [a, changed]);
});
