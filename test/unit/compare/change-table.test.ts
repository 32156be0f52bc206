// Which rows of a comparison are shown, in which order, and where their intervals lie.
import assert from "node:assert/strict";
import { test } from "node:test";
import { VERDICTS, type Changes } from "../../../contract/messages/compare.js";
import type { Verdict } from "../../../contract/editor-module.generated.js";
import { moduleOf } from "../../../extension/src/panels/compare/compared-rows.js";
import { changeText, placeOnAxis, valueText } from "../../../webviews/compare/change-figures.js";
import { arrangedRows, BY_WEIGHT, verdictCounts, type RowTexts } from "../../../webviews/compare/change-table.js";

const ROWS: readonly { name: string; base: number; new: number; verdict: Verdict }[] = [
  { name: "noisy", base: 40, new: 50, verdict: "noise" },
  { name: "Slow", base: 10, new: 20, verdict: "slower" },
  { name: "fast", base: 30, new: 5, verdict: "faster" },
  { name: "added", base: 0, new: 1, verdict: "new" },
  { name: "rare", base: 0.01, new: 0, verdict: "too_few" },
];

const changes: Changes = {
  base: Float64Array.from(ROWS, (row) => row.base),
  new: Float64Array.from(ROWS, (row) => row.new),
  change: Float64Array.from(ROWS, (row) => (row.base > 0 && row.new > 0 ? (row.new / row.base - 1) * 100 : NaN)),
  low: new Float64Array(ROWS.length),
  high: new Float64Array(ROWS.length),
  verdict: Uint8Array.from(ROWS, ({ verdict }) => VERDICTS.indexOf(verdict)),
};
const name = (row: number) => ROWS[row]?.name ?? "";
const TABLE: RowTexts = { count: ROWS.length, changes, name, text: name };
const ALL = { verdict: "", minimum: 0, name: "" };
const OF = { base: 100, new: 100 };
const names = (filter: Partial<typeof ALL & { fits(row: number): boolean }>, sorting = BY_WEIGHT) =>
  [...arrangedRows(TABLE, { ...ALL, ...filter }, sorting, OF)].map(name);

test("what changed comes before what did not, the largest difference first", () => {
  assert.deepEqual(names({}), ["fast", "Slow", "added", "noisy", "rare"]);
  assert.deepEqual(verdictCounts(changes), {
    slower: 1,
    faster: 1,
    new: 1,
    gone: 0,
    noise: 1,
    too_few: 1,
    not_matched: 0,
  });
});

test("rows are filtered by verdict, size, name and more", () => {
  assert.deepEqual(names({ verdict: "changes" }), ["fast", "Slow", "added"]);
  assert.deepEqual(names({ verdict: "noise" }), ["noisy"]);
  assert.deepEqual(names({ minimum: 1 }), ["fast", "Slow", "added", "noisy"]);
  assert.deepEqual(names({ minimum: 5 }), ["fast", "Slow", "noisy"]);
  assert.deepEqual(names({ name: " S " }), ["fast", "Slow", "noisy"]);
  assert.deepEqual(names({ fits: (row) => row === 3 }), ["added"]);
});

test("columns are sorted by both ways, and what has no change in percent is last in both", () => {
  assert.deepEqual(names({}, { columnId: "change", descending: true }), ["Slow", "noisy", "fast", "added", "rare"]);
  assert.deepEqual(names({}, { columnId: "change", descending: false }), ["fast", "noisy", "Slow", "added", "rare"]);
  assert.deepEqual(names({}, { columnId: "base", descending: true }), ["noisy", "fast", "Slow", "rare", "added"]);
  assert.deepEqual(names({}, { columnId: "name", descending: false }), ["Slow", "added", "fast", "noisy", "rare"]);
});

test("twice as much is as far from the middle as half as much, and what is beyond the ends is at them", () => {
  assert.equal(placeOnAxis(0), 0.5);
  assert.equal(placeOnAxis(100), 0.75);
  assert.equal(placeOnAxis(-50), 0.25);
  assert.deepEqual([-75, -100, -1000].map(placeOnAxis), [0, 0, 0]);
  assert.deepEqual([300, 1e9, Infinity].map(placeOnAxis), [1, 1, 1]);
});

test("figures have their unit, changes their sign", () => {
  assert.equal(valueText(12.34, "share"), "12.3%");
  assert.equal(valueText(1234.56, "work"), "1,234.6 µs");
  assert.deepEqual([18.24, -3, 0, NaN].map(changeText), ["+18.2%", "-3.0%", "0.0%", ""]);
});

test("modules of Erlang and Elixir names, and none of C functions", () => {
  const modules = (
    [
      ["lists:map/2", "erlang"],
      ["'odd module':f/1", "erlang"],
      ["Shop.Cart.add/2", "erlang"],
      ['Enum."-map/2-lists^map/1-0-"/2', "erlang"],
      ["copy_struct_x", "native"],
      ["nothing", "erlang"],
    ] as const
  ).map(([fn, kind]) => moduleOf({ function: fn, kind }));
  assert.deepEqual(modules, ["lists", "odd module", "Shop.Cart", "Enum", "", ""]);
});
