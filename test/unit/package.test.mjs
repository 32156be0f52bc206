// The contents of each VSIX, read from the archive itself.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { ALPINE_VSIX, HELPER, HELPER_FOR_HOSTS_FILE, ROOT, VSIX, VSIX_WITHOUT_HELPER } from "../../scripts/project.mjs";
import { packageExtension } from "../../scripts/package-extension.mjs";
import { IS_SET_UP } from "../../scripts/run-tests.mjs";
import { writeBoms } from "../../scripts/sbom.mjs";
import { readBom } from "../bom.mjs";
import { zipEntries } from "../zip-reader.mjs";

const LARGEST_BYTES = 8 * 1024 * 1024;
const HELPER_ENTRY = /^extension\/dist\/helper\/linux-x64\/extrospect$/;
/** Of the package that has none for its own machine. */
const HOSTS_ENTRY = `extension/${HELPER_FOR_HOSTS_FILE}`;
const ALLOWED = [
  /^extension\.vsixmanifest$/,
  /^\[Content_Types\]\.xml$/,
  /^extension\/(package\.json|package\.nls(\.[\w-]+)?\.json|readme\.md|changelog\.md|LICENSE\.txt|ThirdPartyNotices\.txt)$/,
  /^extension\/l10n\/bundle\.l10n(\.[\w-]+)?\.json$/,
  /^extension\/media\/[\w/.-]+\.(svg|png|md)$/,
  // The files that the README shows and refers to.
  /^extension\/docs\/(images\/[\w-]+\.png|commands\.md)$/,
  /^extension\/dist\/extension\/(main|capture-thread|editor-module-thread|ssh-askpass)\.cjs$/,
  // The program that ssh starts for its prompts.
  /^extension\/media\/ssh-askpass\.sh$/,
  // The file that the preset for `kubectl debug` hands over.
  /^extension\/docs\/kubernetes\/debug-profile\.yaml$/,
  /^extension\/dist\/editor-module\/editor-module\.wasm$/,
  /^extension\/dist\/webviews\/[\w-]+\.(js|css|ttf)$/,
];
const PACKAGES = [
  { name: "for Linux", file: VSIX, target: "linux-x64" },
  { name: "for Alpine", file: ALPINE_VSIX, target: "alpine-x64" },
  { name: "without helper", file: VSIX_WITHOUT_HELPER, target: undefined },
];

before(async () => {
  if (process.env[IS_SET_UP] === undefined) await packageExtension({ profile: "quick" });
  await writeBoms(PACKAGES.map(({ file }) => file));
});

for (const { name: title, file, target } of PACKAGES) {
  describe(`the VSIX ${title}`, () => testsOf(file, target));
}

/** @param {string} file @param {string | undefined} target */
function testsOf(file, target) {
  const allowed = [
    ...ALLOWED,
    target === undefined ? /^extension\/dist\/helper-for-hosts\/linux-x64\.gz$/ : HELPER_ENTRY,
  ];
  /** @type {import("../zip-reader.mjs").ZipEntry[]} */
  let entries;
  before(() => {
    entries = zipEntries(readFileSync(file));
  });

  test("holds what the extension needs and nothing else", () => {
    const names = entries.map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => !allowed.some((pattern) => pattern.test(name))),
      [],
    );
    for (const needed of [
      "extension/package.json",
      "extension/package.nls.json",
      "extension/dist/extension/capture-thread.cjs",
      "extension/dist/extension/main.cjs",
      "extension/dist/extension/ssh-askpass.cjs",
      "extension/media/ssh-askpass.sh",
      "extension/docs/kubernetes/debug-profile.yaml",
      "extension/dist/webviews/flame-graph.js",
      "extension/LICENSE.txt",
      "extension/ThirdPartyNotices.txt",
      "extension/media/icon.png",
      "extension/readme.md",
      "extension/changelog.md",
      "extension/l10n/bundle.l10n.json",
    ]) {
      assert.ok(names.includes(needed), `${needed} is missing`);
    }
  });

  test("its pictures are those that the README shows", () => {
    const shown = [
      ...readFileSync(join(ROOT, "README.md"), "utf8").matchAll(/!\[[^\]]*\]\((docs\/images\/[^)]+)\)/g),
    ].map(([, path]) => `extension/${path ?? ""}`);
    const packed = entries.map(({ name }) => name).filter((name) => name.startsWith("extension/docs/images/"));
    assert.ok(shown.length > 0);
    assert.deepEqual(packed.sort(), shown.sort());
  });

  test("its programs need nothing but Node's own modules, and the first of them the editor", () => {
    for (const [name, needed] of /** @type {const} */ ([
      ["main", "vscode"],
      ["capture-thread", "node:worker_threads"],
    ])) {
      const entry = entries.find((one) => one.name === `extension/dist/extension/${name}.cjs`);
      const program = entry?.read().toString() ?? "";
      const asked = new Set(
        [...program.matchAll(/\b(?:require|import)\(\s*["']([^"']+)["']\s*\)/g)].map(([, module]) => module ?? ""),
      );
      assert.ok(asked.has(needed), [...asked].join(", "));
      const known = new Set([...(name === "main" ? ["vscode"] : []), ...builtinModules]);
      assert.deepEqual(
        [...asked].filter((module) => !known.has(module.replace(/^node:/, ""))),
        [],
      );
      assert.doesNotMatch(program, /sourceMappingURL/);
    }
  });

  test("has a bill of materials beside it: each package that its notices name, and no others", () => {
    const components = readBom(file).components.map(({ name, version }) => `${name} ${version}`);
    const notices = entries
      .find(({ name }) => name === "extension/ThirdPartyNotices.txt")
      ?.read()
      .toString();
    const [inExtension = "", inHelper = ""] = (notices ?? "").split("-".repeat(80))[0]?.split("In the helper") ?? [];
    const named = (/** @type {string} */ part) =>
      [...part.matchAll(/^- (\S+ \d\S*) \(/gm)].map(([, title]) => title ?? "");
    assert.ok(named(inExtension).length > 5 && named(inHelper).length > 20);
    for (const title of named(inExtension)) assert.ok(components.includes(title), `${title} is missing`);
    for (const title of named(inHelper)) assert.ok(components.includes(title), `${title} is missing`);
  });

  test("is small", () => {
    assert.ok(statSync(file).size <= LARGEST_BYTES, `${statSync(file).size} bytes`);
  });

  test(
    target === undefined
      ? "brings the helper for hosts alone, compressed"
      : "brings the helper, executable and byte for byte",
    () => {
      const helper = entries.find(({ name }) => HELPER_ENTRY.test(name));
      if (target === undefined) {
        assert.equal(helper, undefined);
        const forHosts = entries.find(({ name }) => name === HOSTS_ENTRY);
        assert.ok(forHosts !== undefined && gunzipSync(forHosts.read()).equals(readFileSync(HELPER)));
        return;
      }
      assert.ok(helper, "the helper is in it");
      assert.equal(helper.mode & 0o111, 0o111, `mode ${helper.mode.toString(8)}`);
      assert.ok(helper.read().equals(readFileSync(HELPER)));
    },
  );

  test("it names its platform", () => {
    const manifest = entries.find(({ name }) => name === "extension.vsixmanifest");
    const named = /TargetPlatform="([^"]*)"/.exec(manifest?.read().toString() ?? "")?.[1];
    // Without one it is for every platform.
    assert.equal(named, target);
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
    for (const path of files) assert.ok(names.has(`extension/${path.replace(/^\.\//, "")}`), `${path} is missing`);
  });
}

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
