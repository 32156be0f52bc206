// What is in the VSIX, read from the archive itself.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { before, describe, test } from "node:test";
import { HELPER, VSIX } from "../../scripts/project.mjs";
import { packageExtension } from "../../scripts/package-extension.mjs";
import { zipEntries } from "../zip-reader.mjs";

const LARGEST_BYTES = 8 * 1024 * 1024;
const HELPER_ENTRY = "extension/dist/helper/linux-x64/extrospect";
const ALLOWED = [
  /^extension\.vsixmanifest$/,
  /^\[Content_Types\]\.xml$/,
  /^extension\/(package\.json|package\.nls(\.[\w-]+)?\.json|readme\.md|changelog\.md|LICENSE\.txt)$/,
  /^extension\/l10n\/bundle\.l10n(\.[\w-]+)?\.json$/,
  /^extension\/media\/[\w/.-]+\.(svg|png|md)$/,
  // What the README shows and refers to.
  /^extension\/docs\/(images\/[\w-]+\.png|commands\.md)$/,
  /^extension\/dist\/extension\/main\.cjs$/,
  /^extension\/dist\/webviews\/[\w-]+\.(js|css|ttf)$/,
  /^extension\/dist\/helper\/linux-x64\/extrospect$/,
];

describe("the VSIX", () => {
  /** @type {import("../zip-reader.mjs").ZipEntry[]} */
  let entries;
  before(async () => {
    await packageExtension();
    entries = zipEntries(readFileSync(VSIX));
  });

  test("holds what the extension needs and nothing else", () => {
    const names = entries.map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => !ALLOWED.some((allowed) => allowed.test(name))),
      [],
    );
    for (const needed of [
      "extension/package.json",
      "extension/package.nls.json",
      "extension/dist/extension/main.cjs",
      "extension/dist/webviews/flame-graph.js",
      "extension/LICENSE.txt",
      "extension/media/icon.png",
      "extension/readme.md",
      "extension/changelog.md",
      "extension/l10n/bundle.l10n.json",
    ]) {
      assert.ok(names.includes(needed), `${needed} is missing`);
    }
  });

  test("its program needs nothing but the editor and Node's own modules", () => {
    const program =
      entries
        .find(({ name }) => name === "extension/dist/extension/main.cjs")
        ?.read()
        .toString() ?? "";
    const asked = new Set([...program.matchAll(/\b(?:require|import)\(\s*["']([^"']+)["']\s*\)/g)].map(([, name]) => name ?? ""));
    assert.ok(asked.has("vscode"), [...asked].join(", "));
    const known = new Set(["vscode", ...builtinModules]);
    assert.deepEqual(
      [...asked].filter((name) => !known.has(name.replace(/^node:/, ""))),
      [],
    );
    assert.doesNotMatch(program, /sourceMappingURL/);
  });

  test("is small", () => {
    assert.ok(statSync(VSIX).size <= LARGEST_BYTES, `${statSync(VSIX).size} bytes`);
  });

  test("brings the helper, executable and byte for byte", () => {
    const helper = entries.find(({ name }) => name === HELPER_ENTRY);
    assert.ok(helper, "the helper is in it");
    assert.equal(helper.mode & 0o111, 0o111, `mode ${helper.mode.toString(8)}`);
    assert.ok(helper.read().equals(readFileSync(HELPER)));
  });

  test("says for which platform it is", () => {
    const manifest = entries.find(({ name }) => name === "extension.vsixmanifest");
    assert.match(manifest?.read().toString() ?? "", /TargetPlatform="linux-x64"/);
  });

  test("every file its manifest names is in it", () => {
    const names = new Set(entries.map(({ name }) => name));
    const manifest = JSON.parse(
      entries
        .find(({ name }) => name === "extension/package.json")
        ?.read()
        .toString() ?? "{}",
    );
    const files = [manifest.main, manifest.icon, ...filesIn(manifest.contributes)];
    assert.ok(files.length > 3, files.join(", "));
    for (const file of files) assert.ok(names.has(`extension/${file.replace(/^\.\//, "")}`), `${file} is missing`);
  });
});

/**
 * The files below media/ that a manifest names, wherever it does.
 * @param {unknown} part
 * @returns {string[]}
 */
function filesIn(part) {
  if (typeof part === "string") return part.startsWith("media/") ? [part] : [];
  if (typeof part !== "object" || part === null) return [];
  return Object.values(part).flatMap(filesIn);
}
