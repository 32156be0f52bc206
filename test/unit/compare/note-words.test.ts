// The notes of a comparison have the same words on the command line as in the editor.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { NoteKind } from "../../../contract/editor-module.generated.js";
import { noteText } from "../../../webviews/compare/strings.js";

const WORDS = readFileSync("native-helper/crates/verdict/compare/src/note_words.rs", "utf8");
const GENERATED = readFileSync("contract/editor-module.generated.ts", "utf8");
const MOST_VALUES = 7;
/** The number of functions that changed in the opposite direction, which have a sentence of their own. */
const CONTRARY = 5;
const OF_MEASURES = new Set(["disagreement", "share_against_work", "load_against_work"]);

/** The helper's list: kind and words, in order. */
const FORMS = [...WORDS.matchAll(/\(\s*NoteKind::(\w+),\s*"((?:[^"\\]|\\.)*)",?\s*\)/g)].map(
  ([, kind = "", words = ""]) => ({ kind: kind.replace(/(?!^)[A-Z]/g, "_$&").toLowerCase(), words }),
);

/** The editor writes a sentence, and no space before a percent sign. */
const plain = (text: string) =>
  (text.charAt(0).toLowerCase() + text.slice(1)).replace(/\.$/, "").replaceAll(" %", "%");

/** The editor's sentence with places for values. Those that this form lacks are not known where there are others. */
function inEditor(kind: string, words: string): string {
  const hasOthers = FORMS.filter((form) => form.kind === kind).length > 1;
  const values = Array.from({ length: MOST_VALUES }, (_, at) => {
    const place = `{${String(at)}}`;
    return hasOthers && !words.includes(place) ? "" : place;
  });
  if (OF_MEASURES.has(kind)) values[CONTRARY] = "0";
  return noteText({ kind: kind as NoteKind, values, text: "" });
}

test("each note of the helper has the words of the editor's sentence", () => {
  assert.ok(FORMS.length > 0);
  for (const { kind, words } of FORMS) assert.equal(plain(words), plain(inEditor(kind, words)), kind);
});

test("each kind of note has words", () => {
  const [, kinds = ""] = /^export type NoteKind = (.*);$/m.exec(GENERATED) ?? [];
  const all = [...kinds.matchAll(/"(\w+)"/g)].map(([, kind = ""]) => kind);
  assert.ok(all.length > 0);
  assert.deepEqual([...new Set(FORMS.map(({ kind }) => kind))].sort(), all.sort());
});
