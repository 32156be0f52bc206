import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { format } from "prettier";
import { CELLS, COMMANDS } from "../unknowns/cells.mjs";
import { unknownsPage } from "../unknowns/page.mjs";
import { STATES } from "../unknowns/states.mjs";

const ROOT = join(import.meta.dirname, "../..");
/** @type {import("../unknowns/look.mjs").Row[]} */
const ROWS = JSON.parse(readFileSync(join(ROOT, "test/unknowns/rows.json"), "utf8"));

test("each command has a cell for each state, and a row of the last run", () => {
  const names = (/** @type {string} */ state) => [state, ...Object.keys(COMMANDS).toSorted()];
  assert.deepEqual(
    Object.entries(CELLS).map(([state, cells]) => [state, ...Object.keys(cells).toSorted()]),
    STATES.map(({ name }) => names(name)),
  );
  for (const { name } of STATES) {
    const rows = ROWS.filter(({ state }) => state === name);
    assert.deepEqual(
      rows.map(({ command }) => command),
      Object.keys(COMMANDS),
      name,
    );
    for (const { command, kind } of rows)
      assert.ok(CELLS[name]?.[command]?.[kind] !== undefined, `${name}, ${command}: ${kind}`);
  }
});

test("the page is made of the rows", async () => {
  const page = readFileSync(join(ROOT, "docs/unknowns.md"), "utf8");
  assert.equal(await format(unknownsPage(ROWS), { parser: "markdown", printWidth: 120 }), page);
});
