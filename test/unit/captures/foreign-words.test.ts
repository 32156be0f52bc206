// Why a profile of another tool is not read, and what helps, in both languages.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Defect, UnreadReason } from "../../../contract/editor-module.generated.js";
import { ENGLISH } from "../../../contract/english.js";
import { fixOfUnread, whyUnread } from "../../../extension/src/captures/foreign-words.js";
import { GERMAN } from "../german.js";

const GENERATED = readFileSync("contract/editor-module.generated.ts", "utf8");

const DEFECTS: readonly Defect[] = [
  { kind: "cut" },
  { kind: "json", line: 2, column: 49 },
  { kind: "lines", count: 7, first: 3 },
  { kind: "lines", count: 7, first: null },
  { kind: "unknown_word", word: "pints" },
  { kind: "inconsistent", part: "frames[9]" },
  { kind: "no_samples" },
  { kind: "below_zero" },
  { kind: "unprocessed" },
  { kind: "other_revision" },
];

const REASONS: readonly UnreadReason[] = [
  { kind: "empty" },
  { kind: "unknown_format" },
  { kind: "control_characters" },
  { kind: "perf_data" },
  { kind: "gzip" },
  { kind: "no_such_event", event: "cycles" },
  { kind: "too_large", limit: 1000 },
  { kind: "too_many", limit: 1000 },
  ...DEFECTS.map((defect) => ({ kind: "damaged", format: "speedscope", defect }) as const),
  { kind: "damaged", format: null, defect: { kind: "cut" } },
];

/** All kinds of a type. */
function kindsOf(type: string): string[] {
  const [, kinds = ""] = new RegExp(`^export type ${type} = ([^]*?);$`, "m").exec(GENERATED) ?? [];
  return [...kinds.matchAll(/"kind": "(\w+)"/g)].map(([, kind = ""]) => kind).sort();
}

const kindsAmong = (all: readonly { readonly kind: string }[]) => [...new Set(all.map(({ kind }) => kind))].sort();

test("each kind of reason and defect has words and a remedy in either language, with its values", () => {
  assert.deepEqual(kindsAmong(REASONS), kindsOf("UnreadReason"));
  assert.deepEqual(kindsAmong(DEFECTS), kindsOf("Defect"));
  for (const reason of REASONS) {
    const what = JSON.stringify(reason);
    for (const words of [whyUnread, fixOfUnread]) {
      const [english, german] = [words(reason, ENGLISH), words(reason, GERMAN)];
      assert.notEqual(german, english, what);
      for (const text of [english, german]) assert.doesNotMatch(text, /\{\d\}|undefined/, what);
      // The German word for 0 is the same.
      assert.doesNotMatch(english, /null/, what);
    }
    const { kind, ...values }: Record<string, unknown> = reason.kind === "damaged" ? reason.defect : reason;
    for (const value of Object.values(values).filter((value) => value !== null))
      for (const l10n of [ENGLISH, GERMAN])
        assert.ok(whyUnread(reason, l10n).includes(String(value)), `${String(kind)}: ${String(value)}`);
  }
});

test("words of the file are cut, and made fit to be shown", () => {
  const word = `\u202e${"x".repeat(5000)}`;
  const why = whyUnread({ kind: "damaged", format: "speedscope", defect: { kind: "unknown_word", word } }, ENGLISH);
  assert.ok(why.length < 200, why);
  assert.doesNotMatch(why, /\u202e/u);
});
