// Each command of package.json is run by a test: by its id, its title or its key.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript";
import { ROOT } from "../../scripts/project.mjs";

/**
 * Commands that no test of these folders names, with the reason. A command is only ever taken out of here.
 * @type {Record<string, string>}
 */
const UNNAMED = {
  "extrospect.openFromStore": "it needs a store: test/formats/open-from-store.night.test.mjs",
};
const MOST_UNNAMED = 1;
/** They name commands and run none. */
const LISTS = ["editor/palette-order.mjs", "editor/palette-words.mjs", "unit/manifest.test.mjs", "unit/palette-words.test.mjs"]; // prettier-ignore

const OWN = "unit/command-tests.test.mjs";

const read = (/** @type {string} */ file) => readFileSync(join(ROOT, file), "utf8");
const PREFIX = "extrospect.";

/** @typedef {{id: string, title: string, keys: string[], labels: string[]}} Command */

/** The texts in quotes of a program, with the first parts of those that have values in them. @param {string} source @returns {string[]} */
function textsOf(source) {
  /** @type {string[]} */
  const texts = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) texts.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("test.ts", source, ts.ScriptTarget.Latest));
  return texts;
}

/** @returns {Command[]} */
function commands() {
  const { contributes } = JSON.parse(read("package.json"));
  /** @type {Record<string, string>} */
  const texts = JSON.parse(read("package.nls.json"));
  const linked = [
    ...Object.values(texts)
      .join("\n")
      .matchAll(/\[([^\]]+)\]\(command:([\w.]+)\)/g),
  ];
  return contributes.commands.map((/** @type {{command: string, title: string}} */ { command, title }) => ({
    id: command,
    title: texts[title.slice(1, -1)] ?? "",
    keys: contributes.keybindings.flatMap((/** @type {{command: string, key: string}} */ one) =>
      one.command === command ? [keyName(one.key)] : [],
    ),
    labels: linked.flatMap(([, label = "", id]) => (id === command ? [label] : [])),
  }));
}

/** As package.json and as Playwright write it. @param {string} key */
const keyName = (key) => key.toLowerCase().replace("control", "ctrl").replace("arrow", "");

/**
 * Whether the text of a test is that command. Menus have a beginning of the title with at least the words before its
 * explanation (`Show Log`, `Start Capture (Record`), the palette also one that no other title has.
 * @param {Command} command @param {string} text @param {readonly string[]} titles of all
 */
function isNamed({ id, title, keys, labels }, text, titles) {
  const shown = text.replace(/^Extrospect: /, "");
  const [short = title] = title.split(/…|: | \(/);
  const isOnly = text !== shown && titles.every((other) => other === title || !other.startsWith(shown));
  return (
    text === id ||
    (text === id.slice(PREFIX.length) && /[A-Z]/.test(text)) ||
    keys.includes(keyName(text)) ||
    labels.includes(text) ||
    (title.startsWith(shown) && shown !== "" && (shown.length >= short.length || isOnly))
  );
}

test("a text of a test names a command by id, title, key or the label of its link", () => {
  const command = {
    id: "extrospect.showIt",
    title: "Show It: What It Is…",
    keys: ["ctrl+alt+pageup"],
    labels: ["See"],
  };
  const titles = [command.title, "Show Its Memory", "Go"];
  for (const text of [
    "extrospect.showIt",
    "showIt",
    "Extrospect: Show It",
    "Extrospect: Show It:",
    "Show It: What",
    "Control+Alt+PageUp",
    "See",
  ])
    assert.ok(isNamed(command, text, titles), text);
  for (const text of ["Show", "show", "extrospect.extrospect.showIt", "Extrospect: Show", "Show It All", "It", ""])
    assert.ok(!isNamed(command, text, titles), text);
  assert.deepEqual(textsOf("const a = ['b', `c`, `d${e} f`]; // 'g'"), ["b", "c", "d"]);
});

test("each command is named by a test of the editor or a unit test, but for those with a reason", () => {
  const below = (/** @type {string} */ folder) =>
    readdirSync(join(ROOT, "test", folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`);
  const files = [
    ...below("editor").filter((file) => /\.(mjs|ts)$/.test(file)),
    ...below("unit").filter((file) => /\.test\.(mjs|ts)$/.test(file)),
  ].filter((file) => !LISTS.includes(file) && file !== OWN);
  const texts = [...new Set(files.flatMap((file) => textsOf(read(`test/${file}`))))];
  const all = commands();
  const titles = all.map(({ title }) => title);
  assert.ok(files.length > 100 && all.length > 80);
  const unnamed = all.filter((command) => !texts.some((text) => isNamed(command, text, titles))).map(({ id }) => id);
  assert.deepEqual(unnamed, Object.keys(UNNAMED), "write a test that runs it");
  assert.ok(unnamed.length <= MOST_UNNAMED);
});
