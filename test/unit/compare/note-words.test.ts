// The notes of a comparison, and why there is none, have the same words on the command line as in the editor.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { LatestPlace, MovedKind, NoteKind, RefusalKind } from "../../../contract/editor-module.generated.js";
import { ENGLISH } from "../../../contract/english.js";
import { refusalText } from "../../../extension/src/comparison/refusal-words.js";
import { movedText, noteText, STRINGS } from "../../../webviews/compare/strings.js";
import { newestText } from "../../../webviews/history/strings.js";

const WORDS = readFileSync("native-helper/crates/verdict/compare/src/note_words.rs", "utf8");
const MOVES = readFileSync("native-helper/crates/verdict/compare/src/moved.rs", "utf8");
const REMARKS = readFileSync("native-helper/crates/verdict/compare/src/remark.rs", "utf8");
const ROWS = readFileSync("native-helper/crates/verdict/compare/src/row_words.rs", "utf8");
const NEWEST = readFileSync("native-helper/crates/verdict/compare/src/history/markdown.rs", "utf8");
const REFUSALS = readFileSync("native-helper/crates/verdict/compare/src/refusal.rs", "utf8");
const GENERATED = readFileSync("contract/editor-module.generated.ts", "utf8");
const MOST_VALUES = 7;
/** The number of functions that changed in the opposite direction, which have a sentence of their own. */
const CONTRARY = 5;
const OF_MEASURES = new Set(["disagreement", "share_against_work", "load_against_work"]);

const kindOf = (variant: string) => variant.replace(/(?!^)[A-Z]/g, "_$&").toLowerCase();

/** The helper's list: kind and words, in order. */
const FORMS = [...WORDS.matchAll(/\(\s*NoteKind::(\w+),\s*"((?:[^"\\]|\\.)*)",?\s*\)/g)].map(
  ([, variant = "", words = ""]) => ({ kind: kindOf(variant), words }),
);

/** The editor writes a sentence, and no space before a percent sign. */
const plain = (text: string) => (text.charAt(0).toLowerCase() + text.slice(1)).replace(/\.$/, "").replaceAll(" %", "%");

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

/** All kinds of a type. */
function kindsOf(type: string): string[] {
  const [, kinds = ""] = new RegExp(`^export type ${type} = (.*);$`, "m").exec(GENERATED) ?? [];
  return [...kinds.matchAll(/"(\w+)"/g)].map(([, kind = ""]) => kind).sort();
}

test("each kind of note has words", () => {
  assert.deepEqual([...new Set(FORMS.map(({ kind }) => kind))].sort(), kindsOf("NoteKind"));
});

test("work that moved has the words of the editor's sentence", () => {
  const moves = [...MOVES.matchAll(/MovedKind::(\w+) => (?:\{\s*)?format!\(\s*"([^"]+)"/g)];
  for (const [, variant = "", words = ""] of moves) {
    const kind = kindOf(variant) as MovedKind;
    const sentence = movedText({ kind, function: "{function}", from: "{first}", to: "{to}", text: "" });
    assert.equal(plain(words), plain(sentence), kind);
  }
  assert.deepEqual(moves.map(([, variant = ""]) => kindOf(variant)).sort(), kindsOf("MovedKind"));
});

test("remarks on rows, and how these were matched, have the words of the editor", () => {
  const listed = (text: string, pattern: RegExp) =>
    Object.fromEntries([...text.matchAll(pattern)].map(([, variant = "", words = ""]) => [kindOf(variant), words]));
  assert.deepEqual(listed(REMARKS, /Self::(\w+) => "([^"]+)"/g), STRINGS.rowRemarks);
  assert.deepEqual(listed(ROWS, /MatchedBy::(\w+) => Some\(", ([^"]+)"\)/g), STRINGS.matchedBy);
});

test("each reason why there is no comparison has the words of the editor", () => {
  const refusals = [...REFUSALS.matchAll(/#\[error\(\s*"([^"]+)"\s*\)\]\s*(\w+) \{([^}]*)\}/g)];
  // Those of work that cannot be used are a text of the capture.
  const others = refusals.filter(([, , variant]) => variant !== "WorkNotUsed");
  assert.ok(others.length > 0);
  for (const [, words = "", variant = "", fields = ""] of others) {
    const names = [...fields.matchAll(/^\s+(\w+): \w+,$/gm)].map(([, name = ""]) => name);
    const inOrder = names.reduce((text, name, at) => text.replaceAll(`{${name}}`, `{${String(at)}}`), words);
    const values = names.map((_, at) => `{${String(at)}}`);
    assert.equal(refusalText({ kind: kindOf(variant) as RefusalKind, values, text: "" }, ENGLISH), inOrder, variant);
  }
});

test("how the newest commit of a history compares has the words of the editor", () => {
  const places = [...NEWEST.matchAll(/(Below|Within|Above) => "([^"]+)"/g)];
  assert.equal(places.length, 3);
  const sentence = /"(newest commit: [^"]+)"/.exec(NEWEST)?.[1] ?? "";
  for (const [, variant = "", place = ""] of places) {
    const latest = { place: kindOf(variant) as LatestPlace, value: 2, expected: 2, low: 1, high: 3, commits: 4 };
    const words = sentence.replace("{place}", place);
    const figures = ["2.00%", "4", "1.00%", "3.00%"];
    const inHelper = figures.reduce((text, figure) => text.replace(/\{(?::\.2)?\}/, figure), words);
    const series = { latest, measure: "share", unlike: [] } as unknown as Parameters<typeof newestText>[1];
    assert.equal(plain(newestText([], series)), inHelper, variant);
    const unlike = [{ kind: "tracing_on_one_side", values: ["9", "1 … 8"], text: "" }] as const;
    assert.ok(newestText([], { ...series, unlike }).endsWith(`. ${noteText(unlike[0])}`), variant);
  }
});
