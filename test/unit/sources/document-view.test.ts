import assert from "node:assert/strict";
import { test } from "node:test";
import {
  baselineOf,
  chooseBaseline,
  stillFits,
  type TextCandidate,
  type TextOrigin,
} from "../../../extension/src/sources/drift/baseline.js";
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

test("a template has the lines of a function whose head is in another file, and no lens", async () => {
  const path = "/ws/lib/page.html.eex";
  const text = "<ul>\n<%= for i <- items do %>\n  <li><%= i %></li>\n<% end %>\n</ul>\n";
  const render = placed("render", 1, 0, { module: "Page", isElixir: true });
  const inner = placed("render", 1, 3, { module: "Page", isElixir: true, isInner: true, index: 1 });
  const baseline = await chooseBaseline(path, [render, inner], candidates({ disk: text }).list);
  const template = new DocumentView(path, `<h1>Items</h1>\n${text}`, [render, inner], baseline);
  assert.equal(template.headLine(render), 0);
  assert.deepEqual(template.map(render, 2), { line: 3, state: "moved" });
  assert.equal(template.headLine(inner), 4);
});

test("a function whose head was rewritten is found by its name", () => {
  const rewritten = view(
    TEXT.replace("b(X) ->\n", "b(#{key := Value} = SomethingElse) when is_map(SomethingElse) ->\n"),
  );
  assert.equal(rewritten.headLine(B), 7);
  assert.equal(rewritten.formerName(B), undefined);
  assert.deepEqual(view(TEXT.replace("    b(X).\n", "")).map(A, 5), { line: 0, state: "gone" });
});

test("a function that was renamed is found by its clauses, with its former name", () => {
  const renamed = view(TEXT.replace("b(X) ->\n", "renamed(X) ->\n").replace("    b(X).", "    renamed(X)."));
  assert.equal(renamed.headLine(B), 7);
  assert.equal(renamed.formerName(B), "b/1");
  assert.equal(renamed.endLine(B), 8);
  assert.equal(renamed.formerName(A), undefined);
  assert.equal(renamed.formerName(INNER), undefined);
});

test("a function that is perhaps another one has no lens", () => {
  const gone = (text: string) => {
    const there = view(text);
    return there.headLine(B) === 0 && there.formerName(B) === undefined;
  };
  const head = (name: string) => TEXT.replace("b(X) ->\n", `${name}(X) ->\n`);
  assert.ok(gone(head("renamed").replace("[c ||", "[d ||")), "its text is another one");
  assert.ok(gone(head("renamed").replace("b(X) ->", "b(X, Y) ->").replace("renamed(X)", "renamed(X, Y)")), "its arity");
  assert.ok(gone(`${head("renamed")}\n\nother(X) ->\n    [c || _ <- X].`), "two have its text");
  assert.equal(new DocumentView(PATH, head("renamed"), [A, B], undefined).formerName(B), undefined, "no text is known");
});

test("renamed: calls of itself go along, atoms of its name do not", () => {
  const text = ["-module(m).", "a(0) -> a;", "a(X) -> 'a'(X - 1) + m:a(a)."].join("\n");
  const fn = placed("a", 1, 2);
  const formerly = (after: string) =>
    new DocumentView(PATH, after, [fn], baselineOf(PATH, text, [fn], "disk")).formerName(fn);
  assert.equal(formerly(["-module(m).", "", "b(0) -> a;", "b(X) -> b(X - 1) + m:a(a)."].join("\n")), "a/1");
  assert.equal(formerly(["-module(m).", "b(0) -> b;", "b(X) -> b(X - 1) + m:a(a)."].join("\n")), undefined);
});

test("renamed: Elixir functions and macros by the names that the source has", () => {
  const of = (name: string) =>
    ["defmodule M do", `  defmacrop ${name}(x, 0), do: x`, `  defmacrop ${name}(x, n) do`, `    ${name}(x, n - 1)`, "  end", "end"].join("\n"); // prettier-ignore
  const fn = placed("MACRO-old", 3, 2, { module: "M", isElixir: true });
  const path = "/ws/m.ex";
  const renamed = new DocumentView(path, of("brand_new"), [fn], baselineOf(path, of("old"), [fn], "disk"));
  assert.equal(renamed.headLine(fn), 2);
  assert.equal(renamed.formerName(fn), "old/2");
});

test("a line of another function's text was inlined from that one", () => {
  const there = view(TEXT);
  assert.equal(there.inlinedFrom(A, 8), "b/1");
  assert.equal(there.inlinedFrom(A, 5), undefined, "its own line");
  assert.equal(there.inlinedFrom(INNER, 8), undefined, "a closure in the text of its function");
  assert.equal(there.inlinedFrom(INNER, 4), "a/1");
  assert.equal(there.inlinedFrom(A, 1), undefined, "a line of no function");
  assert.equal(there.inlinedFrom(placed("made", 0, 1), 8), undefined, "a function without a text");
  assert.equal(new DocumentView(PATH, TEXT, [A, B], undefined).inlinedFrom(A, 8), undefined, "no text is known");
});

test("without a text to compare with lines follow their function, with a note", () => {
  const text = `%% 1\n%% 2\n${TEXT}`;
  const differs = new DocumentView(PATH, text, [A, B, INNER, placed("z", 0, 4)], undefined);
  assert.equal(differs.fit, "differs");
  assert.deepEqual(differs.map(A, 5), { line: 7, state: "changed" });
  assert.deepEqual(differs.map(A, 40), { line: 0, state: "gone" });
  assert.deepEqual(differs.map(placed("z", 0, 4), 4), { line: 0, state: "gone" });
  assert.equal(differs.headLine(B), 9);
});

test("symbols of a language server come before the scan", () => {
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
