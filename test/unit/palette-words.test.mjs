// Words typed into the palette: the table of docs/editor.md is what the titles give by the palette's rules.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { inPaletteOrder } from "../editor/palette-order.mjs";
import { WORDS } from "../editor/palette-words.mjs";
import { isMet } from "./conditions.mjs";

const CATEGORY = "Extrospect: ";
/** In a trusted workspace on a machine with a helper, before the first capture. */
const HOLDS = new Set(["isWorkspaceTrusted", "extrospect.targetsState != noHelper"]);

const read = (/** @type {string} */ name) => readFileSync(join(ROOT, name), "utf8");

/** The most commands where no capture is in view, with earlier ones in the list. */
const MOST_COMMANDS = 25;

/** The titles in the palette. @param {ReadonlySet<string>} holds   parts of conditions @returns {string[]} */
function titles(holds) {
  const { contributes } = JSON.parse(read("package.json"));
  const texts = JSON.parse(read("package.nls.json"));
  /** @type {Map<string, string>} */
  const conditions = new Map(
    contributes.menus.commandPalette.map((/** @type {any} */ { command, when }) => [command, when]),
  );
  return contributes.commands
    .filter((/** @type {any} */ { command }) => isMet(conditions.get(command), holds))
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

test("each word finds its command first, and the table of docs/editor.md has it", () => {
  const all = titles(HOLDS);
  const rows = WORDS.map(([word, expected]) => {
    const first = inPaletteOrder(word, all)[0]?.slice(CATEGORY.length) ?? "none";
    assert.match(first, expected, word);
    return `| ${word} | ${first} |`;
  });
  const [, table = ""] =
    /## Words typed into the palette\n[^]*?\| --- \| --- \|\n((?:\|.*\n)*)/.exec(read("docs/editor.md")) ?? [];
  assert.deepEqual(table.trimEnd().split("\n"), rows);
});

test("earlier captures add few commands until their view, or one of them, is in sight", () => {
  const listed = titles(new Set([...HOLDS, "extrospect.hasCaptures"]));
  assert.ok(listed.length <= MOST_COMMANDS, `${listed.length}: ${listed.join(", ")}`);
  assert.ok(titles(HOLDS).length < listed.length);
  const inSight = titles(new Set([...HOLDS, "extrospect.hasCaptures", "view.extrospect.captures.visible"]));
  const added = inSight.filter((title) => !listed.includes(title)).map((title) => title.slice(CATEGORY.length));
  assert.deepEqual(added.sort(), [
    "Compare Two Nodes…",
    "Delete Old Captures…",
    "Export Listed Captures…",
    "Filter Captures…",
    "Group Captures by Commit or by Time",
    "Next Capture",
    "Open Captures Together",
    "Previous Capture",
  ]);
  const inView = titles(new Set([...HOLDS, "extrospect.hasCaptures", "extrospect.captureInView"]));
  for (const title of ["Next Capture", "Previous Capture"]) assert.ok(inView.includes(CATEGORY + title), title);
});
