// Which rows of a comparison stand for others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GROUPS, TOUCHES, VERDICTS, type Changes, type ComparedFunctions } from "../../../contract/messages/compare.js";
import type { RowGroup, Verdict } from "../../../contract/editor-module.generated.js";
import { FOLD, foldedRows, foldUnchanged } from "../../../webviews/compare/folded-rows.js";

const ROWS: readonly { name: string; group: RowGroup; verdict: Verdict; wraps?: number }[] = [
  { name: "shop:loop/1", group: "own", verdict: "faster" },
  { name: "proc_lib:init_p/3", group: "other", verdict: "faster", wraps: 0 },
  { name: "init:start_it/1", group: "other", verdict: "noise", wraps: 0 },
  { name: "lists:map/2", group: "other", verdict: "slower" },
  { name: "shop:all/1", group: "own", verdict: "slower", wraps: 3 },
  { name: "erts_garbage_collect", group: "runtime", verdict: "slower" },
];

const changes: Changes = {
  base: new Float64Array(ROWS.length),
  new: new Float64Array(ROWS.length),
  change: new Float64Array(ROWS.length),
  low: new Float64Array(ROWS.length),
  high: new Float64Array(ROWS.length),
  verdict: Uint8Array.from(ROWS, ({ verdict }) => VERDICTS.indexOf(verdict)),
};
const FUNCTIONS: ComparedFunctions = {
  names: ROWS.map(({ name }) => name),
  baseNames: {},
  matchedBy: new Int8Array(ROWS.length),
  kinds: ROWS.map(() => "erlang"),
  places: ROWS.map(() => ""),
  modules: [],
  module: new Uint32Array(ROWS.length),
  own: null,
  group: Uint8Array.from(ROWS, ({ group }) => GROUPS.indexOf(group)),
  touched: new Uint8Array(ROWS.length).fill(TOUCHES.indexOf("unknown")),
  remarks: {},
  wraps: Object.fromEntries(ROWS.flatMap(({ wraps }, row) => (wraps === undefined ? [] : [[row, wraps]]))),
  self: changes,
  total: changes,
};
const folded = (figure: "self" | "total", showsAll = false) => {
  const { isFolded } = foldedRows(FUNCTIONS, figure, showsAll);
  return FUNCTIONS.names.filter((_, row) => isFolded(row));
};

test("callers with the same change are part of what they call; the user's own is not hidden behind others", () => {
  assert.deepEqual(folded("total"), ["proc_lib:init_p/3", "erts_garbage_collect"]);
  assert.equal(foldedRows(FUNCTIONS, "total", false).callersOf(0), 1);
  assert.equal(foldedRows(FUNCTIONS, "total", false).callersOf(3), 0);
});

test("touched functions are not hidden behind others", () => {
  const wrapper = ROWS.findIndex(({ name }) => name === "proc_lib:init_p/3");
  const foldsWith = (of: "touched" | "untouched") => {
    const touched = Uint8Array.from(ROWS, (_, row) =>
      TOUCHES.indexOf(row === wrapper ? "touched" : row === 0 ? of : "unknown"),
    );
    return foldedRows({ ...FUNCTIONS, touched }, "total", false).isFolded(wrapper);
  };
  assert.equal(foldsWith("untouched"), false);
  assert.equal(foldsWith("touched"), true);
});

test("by another figure only the inside of the runtime is folded, and nothing when all is requested", () => {
  assert.deepEqual(folded("self"), ["erts_garbage_collect"]);
  assert.deepEqual(folded("total", true), []);
  assert.equal(foldedRows(FUNCTIONS, "total", true).callersOf(0), 0);
});

test("rows without a change stand below one row for all of them, in their order, and are counted open or not", () => {
  const rows = Uint32Array.of(4, 1, 3, 0, 2);
  const isEven = (row: number) => row % 2 === 0;
  const shown = (isChanged: ((row: number) => boolean) | null, isOpen: boolean) => {
    const { order, changed, unchanged } = foldUnchanged(rows, isChanged, isOpen);
    return [[...order], changed, unchanged];
  };
  assert.deepEqual(shown(isEven, false), [[4, 0, 2, FOLD], 3, 2]);
  assert.deepEqual(shown(isEven, true), [[4, 0, 2, FOLD, 1, 3], 3, 2]);
  assert.deepEqual(
    shown(() => true, false),
    [[4, 1, 3, 0, 2], 5, 0],
  );
  assert.deepEqual(
    shown(() => false, false),
    [[FOLD], 0, 5],
  );
  assert.deepEqual(shown(null, false), [[4, 1, 3, 0, 2], 5, 0]);
});
