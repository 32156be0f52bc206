// The rows that are open, and the answer as text and Markdown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shownName } from "../../../contract/plain-text.js";
import { tableAsMarkdown, tableAsText, type CopiedTable } from "../../../contract/text-table.js";
import type { BlameCaller } from "../../../extension/src/capture/questions.js";
import { openRows } from "../../../extension/src/panels/blame/blame-rows.js";
import { blameMarkdown, blameText } from "../../../extension/src/panels/blame/blame-table.js";
import { placeText } from "../../../extension/src/panels/page/place-text.js";

const caller = (
  name: string,
  functionIndex: number,
  samples: number,
  callers: BlameCaller[] = [],
  atOrBelow = false,
): BlameCaller => ({
  name,
  functionIndex,
  file: "/app/src/shop.erl",
  line: 7,
  atOrBelow,
  samples,
  callers,
});
const TREE = [
  caller("shop:cart/2", 3, 80, [caller("shop:run/0", 4, 80, [caller("a`|b", 5, 80)])]),
  caller("shop:cart/2", 3, 15, [], true),
  caller("[unproven]", -1, 5),
];
const HEADS = {
  heading: "copy: 100 samples",
  fn: "Function",
  samples: "Samples",
  ofIt: "Of it",
  ofWhole: "Of busy",
  place: "Where",
  atOrBelow: "at or below",
};

test("only open callers are rows, and a function at or below is another row than the function", () => {
  assert.deepEqual(
    openRows(TREE, new Set()).rows.map(({ key, level, position, siblings }) => [key, level, position, siblings]),
    [
      ["3", 1, 1, 3],
      ["~3", 1, 2, 3],
      ["[unproven]", 1, 3, 3],
    ],
  );
  const { rows } = openRows(TREE, new Set(["3", "3/4", "~3", "7"]));
  assert.deepEqual(
    rows.map(({ key, level, expanded }) => [key, level, expanded]),
    [
      ["3", 1, true],
      ["3/4", 2, true],
      ["3/4/5", 3, false],
      ["~3", 1, false],
      ["[unproven]", 1, false],
    ],
  );
});

const ASKED = {
  query: "copy",
  matched: 100,
  busy: 400,
  samples: 500,
  percentOf: "busy",
  minimumSamples: 0,
  unit: "samples",
} as const;

test("rows beyond what a page takes are counted", () => {
  const many = Array.from({ length: 20 }, (_, index) => caller(`m:f${index}/0`, index, 1));
  const { rows, leftOut } = openRows(many, new Set(), 6);
  assert.deepEqual([rows.length, leftOut], [6, 14]);
});

test("text keeps columns and depth", () => {
  const { rows } = openRows(TREE, new Set(["3"]));
  assert.deepEqual(blameText({ ...ASKED, rows }, HEADS, "en").split("\n"), [
    "copy: 100 samples",
    "",
    "Samples  Of it  Of busy  Function                   Where",
    "     80  80.0%    20.0%  shop:cart/2                shop.erl:7",
    "     80  80.0%    20.0%    shop:run/0               shop.erl:7",
    "     15  15.0%     3.8%  shop:cart/2 (at or below)  shop.erl:7",
    "      5   5.0%     1.3%  [unproven]                 shop.erl:7",
    "",
  ]);
});

test("blocked time has its unit in each row", () => {
  const { rows } = openRows(TREE, new Set());
  const text = blameText({ ...ASKED, unit: "ms of blocked time", rows }, HEADS, "en");
  assert.match(text, / 80 ms +80\.0% +20\.0% /);
});

test("shares of too few samples are marked", () => {
  const { rows } = openRows(TREE, new Set());
  const text = blameText({ ...ASKED, minimumSamples: 20, rows }, HEADS, "en");
  assert.match(text, / 80 +80\.0% +20\.0% /);
  assert.match(text, / 15 +≈ 15\.0% +≈ 3\.8% /);
  assert.match(text, / 5 +≈ 5\.0% +≈ 1\.3% /);
});

test("shares are of all samples where the user wants that", () => {
  const { rows } = openRows(TREE, new Set());
  const table = { ...ASKED, percentOf: "all", rows } as const;
  assert.match(blameText(table, { ...HEADS, ofWhole: "Of all" }, "en"), /80 {2}80\.0% {3}16\.0% {2}shop/);
});

test("figures are written as the language of the reader writes them", () => {
  const { rows } = openRows([caller("shop:cart/2", 3, 1200)], new Set());
  const table = { ...ASKED, matched: 2400, busy: 9000, samples: 10_000, rows };
  assert.match(blameText(table, HEADS, "de"), / 1\.200 {2}50,0\u00a0% {3}13,3\u00a0% {2}shop/);
  assert.match(blameMarkdown(table, HEADS, "de"), / 1\.200 \| 50,0\u00a0% \| 13,3\u00a0% /);
});

test("Markdown is a table whatever a name holds", () => {
  const { rows } = openRows(TREE, new Set(["3", "3/4"]));
  const lines = blameMarkdown({ ...ASKED, rows }, HEADS, "en").split("\n");
  assert.equal(lines[3], "| --- | ---: | ---: | ---: | --- |");
  assert.equal(lines[6], "| &emsp;&emsp;``a`\\|b`` | 80 | 80.0% | 20.0% | `shop.erl:7` |");
  for (const line of lines.slice(2, -1)) assert.equal(line.replaceAll("\\|", "").split("|").length, 7, line);
});

test("a table that is cut short names how many rows it lacks, and heads of groups are no code", () => {
  const table: CopiedTable = {
    heading: "Hot functions: *a*",
    columns: [
      { title: "Function", kind: "code" },
      { title: "Own %", kind: "figure" },
      { title: "Kind", kind: "text" },
      { title: "Where", kind: "code" },
    ],
    rows: [
      { cells: ["Own <b>code</b>", "50.0%", "", ""], isHead: true },
      { cells: ["a|b:c/1", "50.0%", "Erlang", ""], depth: 1 },
    ],
    rest: "… and 7 more rows",
  };
  assert.equal(
    tableAsMarkdown(table),
    [
      "Hot functions\\: \\*a\\*",
      "",
      "| Function | Own % | Kind | Where |",
      "| --- | ---: | --- | --- |",
      "| **Own \\<b\\>code\\</b\\>** | 50.0% |  |  |",
      "| &emsp;`a\\|b:c/1` | 50.0% | Erlang |  |",
      "",
      "… and 7 more rows",
      "",
    ].join("\n"),
  );
  assert.equal(
    tableAsText(table),
    [
      "Hot functions: *a*",
      "",
      "Own %  Function         Kind    Where",
      "50.0%  Own <b>code</b>",
      "50.0%    a|b:c/1        Erlang",
      "",
      "… and 7 more rows",
      "",
    ].join("\n"),
  );
});

test("names are cut before anything else, and hide nothing", () => {
  assert.equal(shownName("a\u202eb\u0007\n"), "a\\u{202e}b\\u{7}\\u{a}");
  assert.equal(shownName("x".repeat(5_000_000)).length, 300);
  assert.equal(placeText("C:\\app\\x.erl", 0), "x.erl");
  assert.equal(placeText("", 3), "");
});
