// The texts of empty views offer commands that work, and one of them is shown at a time; entries of menus and items of
// the status bar have places of their own.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { contributionIds } from "../../scripts/source-uses.mjs";
import { isMet } from "./conditions.mjs";

const read = (/** @type {string} */ name) => JSON.parse(readFileSync(join(ROOT, name), "utf8"));
const TEXTS = read("package.nls.json");
/** @type {{ view: string, contents: string, when: string }[]} */
const WELCOMES = read("package.json").contributes.viewsWelcome;
/** @type {{ command: string, when: string, group: string }[]} */
const ROW_MENU = read("package.json").contributes.menus["view/item/context"];

/** @param {string} view @param {string[]} holds   parts of conditions */
const shown = (view, ...holds) =>
  WELCOMES.filter((one) => one.view === view && isMet(one.when, new Set(holds))).map(
    ({ contents }) => TEXTS[contents.slice(1, -1)],
  );

test("Captures offers to start one where that is possible: in a trusted workspace, with a helper", () => {
  const [listed, trusted] = ["extrospect.capturesListed", "isWorkspaceTrusted"];
  const [helper, none] = ["extrospect.targetsState != noHelper", "extrospect.targetsState == noHelper"];
  for (const [holds, offersStart] of /** @type {[string[], boolean][]} */ ([
    [[listed, trusted, helper], true],
    [[listed, trusted, none], false],
    [[listed, helper], false],
    [[listed, none], false],
  ])) {
    const [text = "", ...others] = shown("extrospect.captures", ...holds);
    assert.deepEqual(others, []);
    assert.equal(text.includes("command:extrospect.attach"), offersStart, holds.join(", "));
    assert.match(text, /command:extrospect\.openCapture/);
  }
  assert.deepEqual(shown("extrospect.captures", trusted, helper), [], "before the list is known");
});

test("the menu of a capture has one command in each place, so that their order is the same everywhere", () => {
  const ofRow = ROW_MENU.filter(
    ({ when, group }) =>
      /^view == extrospect\.captures\b/.test(when) && !/viewItem == /.test(when) && !group.startsWith("inline"),
  );
  assert.ok(ofRow.length > 10);
  const places = ofRow.map(({ group }) => group);
  assert.deepEqual(
    places.filter((place, index) => places.indexOf(place) !== index),
    [],
  );
});

test("items of the status bar have an order", async () => {
  const places = Object.values(/** @type {Record<string, number>} */ ((await contributionIds())["STATUS_PLACES"]));
  assert.ok(places.length > 1);
  assert.equal(new Set(places).size, places.length);
});
