// The pages for users agree with the program, and their links lead somewhere.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { pagesInPackage } from "../../scripts/package-deb.mjs";
import { ROOT } from "../../scripts/project.mjs";

/** @param {string} file @returns {string} */
const read = (file) => readFileSync(join(ROOT, file), "utf8");
const PAGES = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
/** Pages that name commands, views and texts of the editor in italics. */
const PAGES_FOR_USERS = ["editor", "command-line", "remote", "compare", "inside", "captures", "clusters", "containers"];
/** Names in italics there that are of other programs, and a text with a value. */
const OTHER_NAMES = ["Install from VSIX…", "Awesome Emacs Keymap", "Sublime Text Keymap", "Record when memory>10MB"];
/** A default that is a page of its own. */
const LONG_DEFAULTS = ["extrospect.remote.commands"];

/** The names that GitHub gives to headings. @param {string} text */
function anchorsOf(text) {
  const headings = text.replace(/^```[\s\S]*?^```/gm, "").match(/^#+ .*$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe("the documentation", () => {
  test("has each setting once, with its default", () => {
    const sections = JSON.parse(read("package.json")).contributes.configuration;
    const properties = Object.assign({}, ...sections.map((/** @type {any} */ section) => section.properties));
    const rows = [...read("docs/settings.md").matchAll(/^\| `([\w.]+)` \| (.*?) \| .* \|$/gm)];
    assert.deepEqual(rows.map(([, name]) => `extrospect.${name}`).sort(), Object.keys(properties).sort());
    for (const [, name, shown] of rows) {
      const id = `extrospect.${name}`;
      if (LONG_DEFAULTS.includes(id)) continue;
      assert.deepEqual(JSON.parse((shown ?? "").replaceAll("`", "")), properties[id].default, id);
    }
  });

  test("has each command of the helper", () => {
    const manuals = readdirSync(join(ROOT, "packaging/man")).flatMap(
      (file) => /^extrospect-(\w+)\.1$/.exec(file)?.[1] ?? [],
    );
    const table = read("docs/command-line.md");
    assert.ok(manuals.length > 20);
    for (const command of manuals) assert.match(table, new RegExp(`^\\|.*\`${command}\`.*\\| .* \\|`, "m"), command);
  });

  test("leads from pages of the Debian package to pages of the package alone", () => {
    const packaged = pagesInPackage().map(({ path, content }) => ({
      name: path.split("/").at(-1),
      text: String(content),
    }));
    const names = packaged.map(({ name }) => name);
    assert.ok(names.includes("security.md.gz") && names.includes("security-tests.md.gz"), names.join(" "));
    const links = packaged.flatMap(({ text }) =>
      [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, to]) => to ?? ""),
    );
    assert.ok(links.includes("security-tests.md.gz"));
    assert.deepEqual(
      links.filter((to) => !names.includes(to) && !/^https:/.test(to)),
      [],
    );
    // The words of a link that leads nowhere stay.
    assert.match(packaged.find(({ name }) => name === "changelog.gz")?.text ?? "", /\(docs\/inside\.md\)/);
  });

  test("names commands of the editor as their titles in the palette begin", () => {
    /** @type {string[]} */
    const titles = Object.entries(JSON.parse(read("package.nls.json")))
      .filter(([key]) => key.startsWith("command."))
      .map(([, title]) => title);
    const questions = read("README.md").split("## What you can ask")[1]?.split("\n## ")[0] ?? "";
    const named = [...questions.matchAll(/(?<=[|,] )\*([A-Z][^*]+)\*/g)].map(([, title = ""]) => title);
    assert.ok(named.length > 10);
    assert.deepEqual(
      named.filter((name) => !titles.some((title) => title.startsWith(name.replace(/…$/, ""))) && name !== "Targets"),
      [],
    );
  });

  test("has pictures of commands that exist", () => {
    const titles = Object.entries(JSON.parse(read("package.nls.json")))
      .filter(([key]) => key.startsWith("command."))
      .map(([, title]) => String(title));
    const programs = readdirSync(join(ROOT, "docs/images")).filter((name) => name.endsWith(".mjs"));
    const named = programs.flatMap((name) =>
      [...read(`docs/images/${name}`).matchAll(/(?:command\("Extrospect: |showPanel\(editor, ")([^"]+)"/g)].map(
        ([, title = ""]) => title,
      ),
    );
    assert.ok(named.length >= 5);
    assert.deepEqual(
      named.filter((name) => !titles.some((title) => title.includes(name))),
      [],
    );
  });

  test("names texts of the editor as the editor has them", () => {
    const files = ["package.nls.json", "l10n/bundle.l10n.json"];
    /** @type {string[]} */
    const texts = files.flatMap((file) => Object.values(JSON.parse(read(file))));
    /** @param {string} name */
    const isOfTheEditor = (name) => texts.some((text) => text.startsWith(name.replace(/…$/, "")));
    const unknown = ["README.md", ...PAGES_FOR_USERS.map((name) => `docs/${name}.md`)].flatMap((page) => {
      const prose = read(page)
        .replace(/^```[\s\S]*?^```/gm, "")
        .replaceAll("**", "");
      return [...prose.matchAll(/(?<![\w*])\*([A-Z][^*\n]{3,70})\*(?![\w*])/g)]
        .map(([, name = ""]) => name.replace(/^Extrospect: /, ""))
        .filter((name) => !OTHER_NAMES.includes(name) && !isOfTheEditor(name))
        .map((name) => `${page}: ${name}`);
    });
    assert.deepEqual(unknown, []);
  });

  test("leads nowhere that is not there", () => {
    const broken = PAGES.flatMap((page) =>
      [
        ...read(page)
          .replace(/^```[\s\S]*?^```/gm, "")
          .matchAll(/\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)/g),
      ]
        .filter(([, path = "", anchor]) => {
          const target = path === "" ? page : join(dirname(page), path);
          if (!existsSync(join(ROOT, target))) return true;
          return anchor !== undefined && !anchorsOf(read(target)).includes(anchor.slice(1));
        })
        .map(([link]) => `${page}: ${link}`),
    );
    assert.deepEqual(broken, []);
  });

  test("of the README is short", () => {
    assert.ok(read("README.md").split("\n").length <= 150);
  });
});
