// An older Node is refused with a sentence, before it reads a word that is too new for it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { Linter } from "eslint";
import { ROOT } from "../../scripts/project.mjs";

const CHECK = join(ROOT, "scripts/node-version.cjs");
const { isOldNode } = createRequire(import.meta.url)(CHECK);
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

test("versions are compared by their numbers", () => {
  for (const version of ["v20.19.0", "v20.20.2", "v22.0.0", "v100.1.0"])
    assert.ok(!isOldNode(version, ">=20.19"), version);
  for (const version of ["v20.18.3", "v20.2.0", "v18.20.4", "v9.99.99", "v0.10.48"])
    assert.ok(isOldNode(version, ">=20.19"), version);
  assert.match(manifest.engines.node, /^>=\d+\.\d+$/, "the form that the check reads");
});

test("each npm script that is a program of Node begins with the check", () => {
  const programs = Object.entries(manifest.scripts).filter(([, command]) => command.startsWith("node "));
  assert.ok(programs.length > 10);
  for (const [name, command] of programs) assert.match(command, /^node -r \.\/scripts\/node-version\.cjs /, name);
});

test("an older Node ends with the version that is needed, before the program is read", () => {
  const pretend = `Object.defineProperty(process, "version", { value: "v18.20.4" }); require(${JSON.stringify(CHECK)});`;
  const { status, stderr, stdout } = spawnSync(process.execPath, ["-e", `${pretend} console.log("went on");`], {
    encoding: "utf8",
  });
  assert.deepEqual({ status, stdout }, { status: 1, stdout: "" });
  assert.match(
    stderr,
    /^\nerror: this Node\.js is too old\n {2}why: .* is v18\.20\.4, and Extrospect needs >=20\.19\n {2}fix: /,
  );
});

test("the check has no word that an old Node does not know", () => {
  const faults = new Linter().verify(readFileSync(CHECK, "utf8"), {
    languageOptions: { ecmaVersion: 5, sourceType: "commonjs" },
  });
  assert.deepEqual(faults, []);
});
