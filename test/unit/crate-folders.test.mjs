// Each crate of the helper lies in the folder that docs/code-map.md names, and uses crates of few other folders only:
// neither captures nor verdicts use what reads a VM.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { before, describe, test } from "node:test";
import { cargoEnvironment, runCargo } from "../../scripts/cargo.mjs";
import { crateFolders, CRATES, HELPER_WORKSPACE, ROOT } from "../../scripts/project.mjs";

/**
 * The folders in the order in which they build on each other, each with those whose crates its own may use.
 * @type {Record<string, string[]>}
 */
const MAY_USE = {
  base: [],
  "os-process": ["base"],
  guard: ["base", "os-process"],
  native: ["base", "os-process", "guard"],
  vm: ["base", "os-process", "guard", "native"],
  captures: ["base", "os-process", "guard"],
  sampling: ["base", "os-process", "guard", "native", "vm", "captures"],
  inside: ["base", "vm"],
  source: ["base", "os-process", "guard", "captures"],
  verdict: ["base", "captures"],
  service: ["base", "os-process", "guard", "native", "vm", "captures", "sampling", "inside", "source", "verdict"],
  testing: ["base", "os-process", "native", "vm", "captures", "sampling", "source", "service"],
};

/** Uses that the folders do not permit, each with its reason. */
const EXCEPTIONS = {
  "compare -> source-texts": "the scanner of texts that its caller passes, which reads no file",
  "container-facts -> protocol": "it fills in the type that the protocol sends",
  "foreign-profiles -> erlang-names": "the spelling of names, which reads no VM",
  "own-code -> erlang-names": "the spelling of names, which reads no VM",
  "process-list -> protocol": "it arranges the rows that the protocol sends, by the protocol's queries",
};

/** @type {{name: string, folder: string, uses: {name: string, isOfTests: boolean}[]}[]} */
let crates = [];

/** Each folder with its crates, by the headings of docs/code-map.md and the tables below them. @returns {[string, string[]][]} */
function crateMap() {
  const page = readFileSync(join(ROOT, "docs/code-map.md"), "utf8");
  const helper = /^## Helper\n([\s\S]*?)^## /m.exec(page)?.[1] ?? "";
  return helper
    .split(/^### /m)
    .slice(1)
    .map((section) => [
      /^`([\w-]+)\/`/.exec(section)?.[1] ?? section,
      [...section.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name = ""]) => name),
    ]);
}

/** @param {string} name */
const folderOf = (name) => crates.find((crate) => crate.name === name)?.folder ?? "";

describe("crates of the helper", () => {
  before(async () => {
    const args = ["metadata", "--no-deps", "--format-version", "1"];
    const { code, stdout, stderr } = await runCargo(args, { cwd: HELPER_WORKSPACE, env: cargoEnvironment() });
    assert.equal(code, 0, stderr);
    /** @type {{packages: {name: string, manifest_path: string, dependencies: {name: string, kind: string | null, path?: string}[]}[]}} */
    const { packages } = JSON.parse(stdout);
    crates = packages.map(({ name, manifest_path: manifest, dependencies }) => ({
      name,
      folder: basename(dirname(dirname(manifest))),
      uses: dependencies
        .filter((used) => used.path !== undefined && used.name !== name)
        .map((used) => ({ name: used.name, isOfTests: used.kind === "dev" })),
    }));
  });

  test("lie in the folders that the code map names, and nowhere else", () => {
    const direct = readdirSync(CRATES).filter((name) => existsSync(join(CRATES, name, "Cargo.toml")));
    assert.deepEqual(direct, [], "a crate lies in a folder with those that do the same part of the work");
    const map = crateMap();
    const mapped = map.flatMap(([folder, names]) => names.map((name) => `${folder}/${name}`)).sort();
    const there = crateFolders().map((folder) => relative(CRATES, folder));
    assert.deepEqual(there.sort(), mapped, "docs/code-map.md names each crate in the section of its folder");
    assert.deepEqual(
      crates.map(({ name, folder }) => `${folder}/${name}`).sort(),
      there,
      "cargo knows each, by the name of its folder: see `members` of native-helper/Cargo.toml",
    );
    assert.deepEqual(
      map.map(([folder]) => folder),
      Object.keys(MAY_USE),
      "the code map has the folders in the order in which they build on each other",
    );
  });

  test("use no crates of folders that build on their own", () => {
    const folders = Object.keys(MAY_USE);
    for (const [folder, used] of Object.entries(MAY_USE))
      for (const other of used) assert.ok(folders.indexOf(other) < folders.indexOf(folder), `${folder} -> ${other}`);
    const unpermitted = crates.flatMap(({ name, folder, uses }) =>
      uses
        .filter((used) => {
          const other = folderOf(used.name);
          if (other === folder || MAY_USE[folder]?.includes(other)) return false;
          return !(used.isOfTests && other === "testing");
        })
        .map((used) => `${name} -> ${used.name}`),
    );
    assert.deepEqual(unpermitted.sort(), Object.keys(EXCEPTIONS), "only these, each with a reason");
  });
});
