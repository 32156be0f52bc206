// Words typed into the palette: the table of docs/commands.md is what the titles give by the palette's rules.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { inPaletteOrder } from "../editor/palette-order.mjs";
import { WORDS } from "../editor/palette-words.mjs";

const CATEGORY = "Extrospect: ";
/** In a trusted workspace on a machine with a helper, before the first capture. */
const HOLDS = new Set(["isWorkspaceTrusted", "extrospect.targetsState != noHelper"]);

const read = (/** @type {string} */ name) => readFileSync(join(ROOT, name), "utf8");

/** The titles in the palette. */
function titles() {
  const { contributes } = JSON.parse(read("package.json"));
  const texts = JSON.parse(read("package.nls.json"));
  /** @type {Map<string, string>} */
  const conditions = new Map(
    contributes.menus.commandPalette.map((/** @type {any} */ { command, when }) => [command, when]),
  );
  return contributes.commands
    .filter((/** @type {any} */ { command }) =>
      (conditions.get(command)?.split(" && ") ?? []).every((condition) => HOLDS.has(condition)),
    )
    .map((/** @type {any} */ { title }) => CATEGORY + texts[title.slice(1, -1)]);
}

test("titles fit by beginnings of words or by a part, and stand by the alphabet", () => {
  const given = ["X: Show Hot Functions", "X: Go Home", "X: Show Log", "X: Restart"];
  assert.deepEqual(inPaletteOrder("sh", given), ["X: Show Hot Functions", "X: Show Log"]);
  assert.deepEqual(inPaletteOrder("shf", given), ["X: Show Hot Functions"]);
  assert.deepEqual(inPaletteOrder("go h", given), ["X: Go Home"]);
  assert.deepEqual(inPaletteOrder("tart", given), ["X: Restart"]);
  assert.deepEqual(inPaletteOrder("hs", given), []);
});

test("each word finds its command first, and the table of docs/commands.md has it", () => {
  const all = titles();
  const rows = WORDS.map(([word, expected]) => {
    const first = inPaletteOrder(word, all)[0]?.slice(CATEGORY.length) ?? "none";
    assert.match(first, expected, word);
    return `| ${word} | ${first} |`;
  });
  const [, table = ""] =
    /## Words typed into the palette\n[^]*?\| --- \| --- \|\n((?:\|.*\n)*)/.exec(read("docs/commands.md")) ?? [];
  assert.deepEqual(table.trimEnd().split("\n"), rows);
});
