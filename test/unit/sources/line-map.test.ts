import assert from "node:assert/strict";
import { test } from "node:test";
import { measured } from "../../measured.mjs";
import { LineMap, linesOf } from "../../../extension/src/sources/drift/line-map.js";

const BEFORE = ["-module(m).", "", "a(X) ->", "    b(X).", "", "b(X) ->", "    X + 1.", "", "c(X) ->", "    X * 2."];

function mapped(after: readonly string[], before: readonly string[] = BEFORE): string[] {
  const map = new LineMap(before, after);
  return before.map((_, index) => {
    const { line, state } = map.map(index + 1);
    return `${state} ${line}`;
  });
}

test("the same text is exact everywhere, whatever ends its lines", () => {
  assert.ok(mapped(linesOf(BEFORE.join("\r\n"))).every((place, index) => place === `exact ${index + 1}`));
  assert.equal(new LineMap(BEFORE, linesOf(BEFORE.join("\r"))).isSame, true);
});

test("lines inserted above move what is below", () => {
  const after = [...BEFORE.slice(0, 2), "%% new", "z() -> ok.", ...BEFORE.slice(2)];
  assert.deepEqual(mapped(after).slice(0, 4), ["exact 1", "exact 2", "moved 5", "moved 6"]);
  assert.equal(new LineMap(BEFORE, after).isSame, false);
});

test("a deleted line is gone, its neighbours are not", () => {
  assert.deepEqual(mapped(BEFORE.filter((_, index) => index !== 6)).slice(5), [
    "exact 6",
    "gone 0",
    "moved 7",
    "moved 8",
    "moved 9",
  ]);
});

test("an edited line is changed", () => {
  assert.equal(mapped(BEFORE.with(6, "    X + 10."))[6], "changed 7");
});

test("a line replaced by another one altogether is gone", () => {
  assert.equal(mapped(BEFORE.with(6, "    erlang:error(badarg, [])."))[6], "gone 0");
});

test("functions that swap places are followed", () => {
  const after = [...BEFORE.slice(0, 2), ...BEFORE.slice(8), "", ...BEFORE.slice(5, 7), "", ...BEFORE.slice(2, 4)];
  const places = mapped(after);
  assert.deepEqual([places[2], places[3], places[8], places[9]], ["moved 9", "moved 10", "moved 3", "moved 4"]);
  assert.deepEqual([places[5], places[6]], ["exact 6", "exact 7"]);
});

test("two lines never become one", () => {
  const after = ["a", "x = 1,", "b"];
  const map = new LineMap(["a", "x = 1, ", "x = 11,", "b"], after);
  const places = [2, 3].map((line) => map.map(line));
  assert.equal(places.filter(({ line }) => line === 2).length, 1);
  assert.equal(places.filter(({ state }) => state === "gone").length, 1);
});

test("a file that was replaced keeps nothing", () => {
  assert.ok(mapped(["defmodule Other do", "  def other, do: :ok", "end"]).every((place) => place === "gone 0"));
  assert.ok(mapped([""]).every((place, index) => place === "gone 0" || BEFORE[index] === ""));
});

test("lines that are not of the text are gone", () => {
  const map = new LineMap(BEFORE, BEFORE);
  for (const line of [0, -1, 11, 1e9]) assert.equal(map.map(line).state, "gone");
});

test("a long file with edits in many places, and one rewritten altogether", (t) => {
  const before = Array.from({ length: 20_000 }, (_, index) => `    line_${index}(X, ${index % 7}),`);
  const edited = before.flatMap((line, index) =>
    index % 500 === 0 ? ["%% inserted", line] : index % 701 === 0 ? [`${line} %`] : [line],
  );
  const rewritten = before.map((_, index) => `other_${index * 3}`);
  const times = [edited, rewritten].map((after) => {
    const runs = [1, 2, 3].map(() => {
      const start = performance.now();
      new LineMap(before, after);
      return performance.now() - start;
    });
    return Math.min(...runs);
  });
  const map = new LineMap(before, edited);
  assert.deepEqual(map.map(5_001), { line: edited.indexOf(before[5_000] ?? "") + 1, state: "moved" });
  assert.equal(map.map(702).state, "changed");
  for (const [index, time] of times.entries())
    measured(t, "line map of 20,000 lines", time, index === 0 ? "edited" : "rewritten");
});
