import assert from "node:assert/strict";
import { test } from "node:test";
import { baselineOf, chooseBaseline, stillFits, type TextCandidate, type TextOrigin } from "../../../extension/src/sources/drift/baseline.js";
import type { PlacedFunction } from "../../../extension/src/sources/mapping/capture-places.js";
import { DocumentView, supersededOf } from "../../../extension/src/sources/mapping/document-view.js";

const TEXT = ["-module(m).", "", "a(0) -> 0;", "a(X) ->", "    b(X).", "", "b(X) ->", "    [c || _ <- X]."].join("\n");
const PATH = "/ws/src/m.erl";

function placed(name: string, arity: number, headLine: number, more: Partial<PlacedFunction> = {}): PlacedFunction {
  return { index: 0, module: "m", name, arity, headLine, isElixir: false, isInner: false, ...more };
}

const A = placed("a", 1, 3);
const B = placed("b", 1, 7, { index: 1 });
const INNER = placed("b", 1, 8, { index: 2, isInner: true });

function view(text: string, baseline = baselineOf(PATH, TEXT, [A, B], "disk")): DocumentView {
  return new DocumentView(PATH, text, [A, B, INNER], baseline);
}

function candidates(texts: Partial<Record<TextOrigin, string>>): { list: TextCandidate[]; read: TextOrigin[] } {
  const read: TextOrigin[] = [];
  const list = Object.entries(texts).map(([origin, text]) => ({
    origin: origin as TextOrigin,
    read: () => {
      read.push(origin as TextOrigin);
      return Promise.resolve(text);
    },
  }));
  return { list, read };
}

test("the first text in which all reported heads are heads is the baseline", async () => {
  const edited = `%% one more line\n${TEXT}`;
  const { list, read } = candidates({ disk: edited, saved: TEXT, commit: "never read" });
  assert.equal((await chooseBaseline(PATH, [A, B, INNER], list))?.origin, "saved");
  assert.deepEqual(read, ["disk", "saved"]);
  assert.equal(await chooseBaseline(PATH, [A, B], candidates({ disk: edited, saved: "" }).list), undefined);
});

test("functions that macros make do not spoil a text, missing ones do", () => {
  const text = "defmodule M do\n  use GenServer\n  def a, do: 1\nend\n";
  const heads = [
    { module: "M", name: "child_spec", arity: 1, headLine: 2, isElixir: true, isInner: false },
    { module: "M", name: "a", arity: 0, headLine: 3, isElixir: true, isInner: false },
  ];
  assert.deepEqual(baselineOf("/ws/m.ex", text, heads, "disk").fit, { hits: 1, misses: 0 });
  assert.equal(baselineOf("/ws/m.ex", text, [{ ...heads[0], headLine: 9 } as PlacedFunction], "disk").fit.misses, 1);
  assert.equal(baselineOf(PATH, TEXT, [placed("gone", 1, 5)], "disk").fit.misses, 1);
  assert.equal(stillFits(baselineOf(PATH, TEXT, [A], "disk"), [A, placed("b", 1, 6)]), false);
});

test("heads and lines follow the text", () => {
  const moved = view(TEXT.replace("\n\na(0)", "\n%% new\n%% new\n\na(0)"));
  assert.deepEqual([moved.headLine(A), moved.headLine(B), moved.headLine(INNER)], [5, 9, 10]);
  assert.deepEqual(moved.map(B, 8), { line: 10, state: "moved" });
  assert.equal(moved.fit, "edited");
  assert.equal(view(TEXT).fit, "same");
  assert.equal(moved.endLine(B), 10);
});

test("a function whose head was rewritten is found by its name; one that was renamed is gone", () => {
  const rewritten = view(TEXT.replace("b(X) ->\n", "b(#{key := Value} = SomethingElse) when is_map(SomethingElse) ->\n"));
  assert.equal(rewritten.headLine(B), 7);
  const renamed = view(TEXT.replace("b(X) ->\n", "renamed(X) ->\n"));
  assert.equal(renamed.headLine(B), 0);
  assert.deepEqual(view(TEXT.replace("    b(X).\n", "")).map(A, 5), { line: 0, state: "gone" });
});

test("without a text to compare with lines go with their function, and say so", () => {
  const text = `%% 1\n%% 2\n${TEXT}`;
  const differs = new DocumentView(PATH, text, [A, B, INNER, placed("z", 0, 4)], undefined);
  assert.equal(differs.fit, "differs");
  assert.deepEqual(differs.map(A, 5), { line: 7, state: "changed" });
  assert.deepEqual(differs.map(A, 40), { line: 0, state: "gone" });
  assert.deepEqual(differs.map(placed("z", 0, 4), 4), { line: 0, state: "gone" });
  assert.equal(differs.headLine(B), 9);
});

test("what a language server says comes before the scan", () => {
  const differs = new DocumentView(PATH, `\n${TEXT}`, [A, B], undefined, (fn) => (fn === A ? 44 : undefined));
  assert.deepEqual([differs.headLine(A), differs.headLine(B)], [44, 8]);
});

test("code that was replaced during the capture does not decide which text fits", () => {
  const old = placed("b", 1, 70);
  const superseded = supersededOf([A, old, B, INNER, placed("b", 1, 0)]);
  assert.deepEqual([...superseded], [old]);
  const both = new DocumentView(PATH, TEXT, [A, old, B], baselineOf(PATH, TEXT, [A, B], "disk"));
  assert.deepEqual(both.map(old, 71), { line: 8, state: "changed" });
  assert.deepEqual(both.map(B, 8), { line: 8, state: "exact" });
});
