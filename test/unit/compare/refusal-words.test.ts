// Why captures cannot be compared, in both languages; names of others are text.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RefusalKind } from "../../../contract/editor-module.generated.js";
import { refusalText } from "../../../extension/src/comparison/refusal-words.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "../recording/fakes.js";

const KINDS: readonly RefusalKind[] = [
  "no_capture",
  "no_samples",
  "no_samples_stopped",
  "no_samples_traced",
  "no_samples_frozen",
  "no_work",
  "work_cut",
  "work_not_read",
  "work_backwards",
  "work_stood_still",
  "other_work",
  "no_length",
  "memory",
  "waiting",
  "other_type",
  "shares_alone",
  "kernel_time",
  "several_commits",
  "other_project",
  "no_pairs",
  "wrong_pairs",
  "other_machine",
  "nothing_in_common",
];

test("each kind has words in either language, with its values", () => {
  for (const kind of KINDS) {
    const [english, german] = [ENGLISH, GERMAN].map((l10n) =>
      refusalText({ kind, values: ["a.pb.gz", "orders", "it answers 500"], text: "English" }, l10n),
    );
    assert.match(String(english), /a\.pb\.gz/, kind);
    assert.match(String(german), /a\.pb\.gz/, kind);
    assert.notEqual(german, english, kind);
    assert.doesNotMatch(String(german), /\{\d\}/, kind);
  }
});

test("a kind of another version stays English, and names of others are text", () => {
  assert.equal(
    refusalText({ kind: "later" as RefusalKind, values: ["x"], text: "x is too late" }, GERMAN),
    "x is too late",
  );
  const hostile = refusalText({ kind: "no_work", values: [`a\u202e\u0007${"x".repeat(5000)}`], text: "" }, ENGLISH);
  assert.doesNotMatch(hostile, /[\u202e\u0007]/u);
  assert.ok(hostile.length < 300);
});
