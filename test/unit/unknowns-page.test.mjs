import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { format } from "prettier";
import { CELLS, COMMANDS } from "../unknowns/cells.mjs";
import { NOT_RUN, notRun, unknownsPage } from "../unknowns/page.mjs";
import { STATES } from "../unknowns/states.mjs";
import { VIEW_CELLS, VIEW_NAMES, viewName } from "../unknowns/view-cells.mjs";

const ROOT = join(import.meta.dirname, "../..");
/** @type {import("../unknowns/look.mjs").Row[]} */
const ROWS = JSON.parse(readFileSync(join(ROOT, "test/unknowns/rows.json"), "utf8"));

/** Commands and views that came, or have other sentences, after the last run of the program: the page states so. The next run empties this. @type {string[]} */
const AFTER_LAST_RUN = ["doctor", "pstack", "growth", "view: Stacks"];

test("each command and each view has a cell for each state, and a row of the last run", () => {
  for (const [cells, columns] of /** @type {const} */ ([
    [CELLS, Object.keys(COMMANDS)],
    [VIEW_CELLS, VIEW_NAMES],
  ]))
    assert.deepEqual(
      Object.entries(cells).map(([state, own]) => [state, ...Object.keys(own).toSorted()]),
      STATES.map(({ name }) => [name, ...columns.toSorted()]),
    );
  for (const { name } of STATES) {
    const rows = ROWS.filter(({ state }) => state === name);
    const had = rows.map(({ command }) => command);
    assert.deepEqual(
      had,
      [...Object.keys(COMMANDS), ...VIEW_NAMES.map(viewName)].filter(
        (each) => had.includes(each) || !AFTER_LAST_RUN.includes(each),
      ),
      name,
    );
    const views = Object.entries(VIEW_CELLS[name] ?? {}).map(([view, cell]) => [viewName(view), cell]);
    /** @type {Record<string, import("../unknowns/cells.mjs").Cell>} */
    const cells = { ...CELLS[name], ...Object.fromEntries(views) };
    for (const { command, kind } of rows)
      assert.ok(cells[command]?.[kind] !== undefined, `${name}, ${command}: ${kind}`);
  }
});

test("what was not run is named, and nothing is said of it", () => {
  const [first] = ROWS;
  assert.ok(first);
  const all = [...Object.keys(COMMANDS), ...VIEW_NAMES.map(viewName)];
  assert.deepEqual(
    notRun([first]),
    STATES.map(({ name }) => ({
      state: name,
      names: all.filter((each) => name !== first.state || each !== first.command),
    })),
  );
  const sentences = (/** @type {readonly import("../unknowns/look.mjs").Row[]} */ rows) =>
    unknownsPage(rows)
      .split("\n")
      .filter((line) => line.startsWith("| ") && !line.startsWith("| Commands") && !line.startsWith("| ---"));
  // One line of all commands and one of all views.
  assert.equal(sentences([]).length, 2 * STATES.length);
  assert.ok(sentences([]).every((line) => line.endsWith(`| ${NOT_RUN} |`)));
  assert.equal(sentences([first]).length, 2 * STATES.length + 1);
});

test("the page is made of the rows", async () => {
  const page = readFileSync(join(ROOT, "docs/unknowns.md"), "utf8");
  assert.equal(await format(unknownsPage(ROWS), { parser: "markdown", printWidth: 120 }), page);
});
