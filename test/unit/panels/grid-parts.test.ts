// The parts of the grid, the picker and the table that need no browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findChoices } from "../../../webviews/elements/choice-search.js";
import { HEAD_PX, ROW_PX, scrollTo, visibleRows } from "../../../webviews/grid/grid-window.js";
import { TypeAhead } from "../../../webviews/grid/type-ahead.js";
import { TopTable } from "../../../webviews/top/top-table.js";

test("the window of rows is in the list and never large", () => {
  assert.deepEqual(visibleRows(0, 220, 3), { first: 0, end: 3 });
  assert.deepEqual(visibleRows(0, 220, 0), { first: 0, end: 0 });
  for (const top of [0, 1000, ROW_PX * 100_000]) {
    const { first, end } = visibleRows(top, 700, 100_000);
    assert.ok(first >= 0 && first <= end && end <= 100_000 && end - first < 50);
  }
});

test("scrolling shows the row below the header and moves no further than needed", () => {
  assert.equal(scrollTo(0, 500, 400), 0);
  assert.equal(scrollTo(5, 0, 400), 0);
  assert.equal(scrollTo(100, 0, 400), 101 * ROW_PX - (400 - HEAD_PX));
});

test("type-ahead: letters make a prefix, one letter again goes on, a pause begins anew", () => {
  const names = ["alpha", "beta", "bravo", "bread"];
  const text = (index: number) => names[index] ?? "";
  const typing = new TypeAhead();
  assert.equal(typing.find("b", 0, 0, 4, text), 1);
  assert.equal(typing.find("r", 100, 1, 4, text), 2);
  assert.equal(typing.find("e", 200, 2, 4, text), 3);
  assert.equal(typing.find("b", 5000, 3, 4, text), 1);
  assert.equal(typing.find("b", 5100, 1, 4, text), 2);
  assert.equal(typing.find("z", 9000, 1, 4, text), -1);
});

test("choices: groups first, then what starts with the text", () => {
  const choices = [
    { value: "copy", isGroup: true, samples: 9 },
    { value: "xcopy", isGroup: false, samples: 8 },
    { value: "copy_struct", isGroup: false, samples: 2 },
  ];
  assert.deepEqual(
    findChoices(choices, " COPY ", 9).map(({ value }) => value),
    ["copy", "copy_struct", "xcopy"],
  );
  assert.deepEqual(
    findChoices(choices, "", 2).map(({ value }) => value),
    ["copy", "xcopy"],
  );
  assert.deepEqual(findChoices(choices, "nif:", 9), []);
});

test("the table keeps keys while it is sorted, filtered and grows", () => {
  const table = new TopTable();
  const by = (columnId: string, descending: boolean, filter = "", kind = "") => ({
    sorting: { columnId, descending },
    filter,
    kind,
    isGrouped: false,
    toggled: new Set<string>(),
  });
  const head = {
    type: "rows",
    uri: "",
    title: "",
    live: true,
    unit: "samples",
    samples: 10,
    busy: 10,
    percentOf: "busy" as const,
    minimumSamples: 0,
    view: { onlyErlang: false, ofBusy: true, withAddresses: false, node: "" },
    attribution: "self",
    nodes: [],
    groups: [{ kind: "runtime", name: "" }],
    group: new Uint32Array(3),
    own: new Float64Array(3),
    of: 10,
    calledFromRows: Uint32Array.of(1),
    calledFromNames: ["named"],
  } as const;
  table.addFunctions({
    type: "functions",
    from: 0,
    names: ["b:f/1", "a:g/2"],
    kinds: Uint8Array.of(0, 3),
    places: ["b.erl:1", ""],
  });
  table.setRows(
    {
      ...head,
      functionIndex: Int32Array.of(-1, 1, 0),
      self: Float64Array.of(5, 4, 1),
      total: Float64Array.of(5, 4, 10),
      otherNames: ["[unproven]"],
      otherKinds: Uint8Array.of(6),
    },
    by("self", true),
  );
  const names = () => Array.from({ length: table.length }, (_, at) => table.name(table.rowAt(at)));
  assert.deepEqual(names(), ["[unproven]", "a:g/2", "b:f/1"]);
  assert.equal(table.calledFrom(table.rowAt(1)), "named");
  table.arrange(by("total", true));
  assert.deepEqual(names(), ["b:f/1", "[unproven]", "a:g/2"]);
  assert.equal(table.positionOf("f0"), 0);
  table.arrange(by("name", false, "G/"));
  assert.deepEqual([names(), table.positionOf("f0"), table.positionOf("f1")], [["a:g/2"], -1, 0]);
  table.arrange(by("name", false, "", "marker"));
  assert.deepEqual(names(), ["[unproven]"]);
  table.addFunctions({ type: "functions", from: 2, names: ["c:h/0"], kinds: Uint8Array.of(0), places: [""] });
  table.setRows(
    {
      ...head,
      functionIndex: Int32Array.of(2, 0),
      self: Float64Array.of(6, 1),
      total: Float64Array.of(6, 10),
      otherNames: [],
      otherKinds: new Uint8Array(),
      calledFromRows: new Uint32Array(),
      calledFromNames: [],
    },
    by("self", true),
  );
  assert.deepEqual(
    [names(), table.positionOf("f0"), table.positionOf("marker [unproven]")],
    [["c:h/0", "b:f/1"], 1, -1],
  );
});

test("functions are grouped by application: own code is open, the rest folded with its sums", () => {
  const table = new TopTable();
  table.addFunctions({
    type: "functions",
    from: 0,
    names: ["shop:a/0", "shop:b/0", "lists:map/2", "copy_struct_x"],
    kinds: Uint8Array.of(0, 0, 0, 3),
    places: ["", "", "", ""],
  });
  const shown = {
    sorting: { columnId: "own", descending: true },
    filter: "",
    kind: "",
    isGrouped: true,
    toggled: new Set<string>(),
  };
  const rows = {
    type: "rows",
    uri: "",
    title: "",
    live: false,
    unit: "samples",
    samples: 100,
    busy: 100,
    percentOf: "busy" as const,
    minimumSamples: 0,
    view: { onlyErlang: false, ofBusy: true, withAddresses: false, node: "" },
    attribution: "own",
    of: 100,
    nodes: [],
    groups: [
      { kind: "library", name: "stdlib" },
      { kind: "runtime", name: "" },
      { kind: "own", name: "shop" },
    ],
    group: Uint32Array.of(1, 0, 2, 2, 1),
    functionIndex: Int32Array.of(3, 2, 1, 0, -1),
    own: Float64Array.of(0, 0, 30, 50, 0),
    self: Float64Array.of(40, 30, 5, 10, 3),
    total: Float64Array.of(40, 40, 40, 90, 3),
    otherNames: ["[unproven]"],
    otherKinds: Uint8Array.of(6),
    calledFromRows: new Uint32Array(),
    calledFromNames: [],
  } as const;
  table.setRows(rows, shown);
  const lines = () =>
    Array.from({ length: table.length }, (_, at) => table.groupAt(at)?.key ?? table.name(table.rowAt(at)));
  assert.deepEqual(lines(), ["gown shop", "shop:a/0", "shop:b/0", "glibrary stdlib", "gruntime "]);
  assert.deepEqual(table.groupAt(0)?.sums, { own: 80, self: 15 });
  assert.deepEqual(table.groupAt(4)?.sums, { own: 0, self: 43 });
  assert.deepEqual(table.gridRow(0), {
    key: "gown shop",
    level: 1,
    position: 1,
    siblings: 3,
    expandable: true,
    expanded: true,
  });
  assert.deepEqual(table.gridRow(2), { key: "f1", level: 2, position: 2, siblings: 2 });
  assert.deepEqual(
    [table.positionOf("f1"), table.positionOf("f2"), table.positionOf("gruntime "), table.matchingCount],
    [2, -1, 4, 5],
  );
  table.arrange({ ...shown, toggled: new Set(["gown shop", "glibrary stdlib"]) });
  assert.deepEqual(lines(), ["gown shop", "glibrary stdlib", "lists:map/2", "gruntime "]);
  table.arrange({ ...shown, filter: "copy" });
  assert.deepEqual(lines(), ["gruntime ", "copy_struct_x"], "what a filter finds is never folded away");
});
