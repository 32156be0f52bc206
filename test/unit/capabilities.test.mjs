// The table of capabilities in docs/testing.md has each command and question of the README, and each test file once.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { isNightFile, TEST_GROUPS } from "../../scripts/test-groups.mjs";

/** @param {string} file @returns {string} */
const read = (file) => readFileSync(join(ROOT, file), "utf8");
/** @param {string} text @returns {string[]} the parts in backticks */
const codeIn = (text) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

const SECTION =
  read("docs/testing.md")
    .split(/^## Capabilities$/m)[1]
    ?.split(/^## /m)[0] ?? "";
const ROWS = SECTION.split("\n").flatMap((line) => {
  const [, capability, gate, night] = /^\| ((?!---|capability).*?) \| (.*?) \| ?(.*?) ?\|$/.exec(line) ?? [];
  return capability === undefined ? [] : [{ capability, gate: codeIn(gate ?? ""), night: night ?? "" }];
});
/** Files of which none is a helper of others: each has a row. */
const FOLDERS = ["accuracy", "captures", "e2e", "formats", "inside", "machines", "oracles"];
const SAME = "the same";

/** @param {string} name   as the table has it @param {"" | ".night"} kind */
const isThere = (name, kind) =>
  ["mjs", "ts"].some((ending) => existsSync(join(ROOT, "test", `${name}${kind}.test.${ending}`)));

/** @param {string} folder @returns {string[]} names as the table has them, with `.night` */
const filesOf = (folder) =>
  readdirSync(join(ROOT, "test", folder))
    .filter((name) => /\.test\.(mjs|ts)$/.test(name))
    .map((name) => `${folder}/${name.replace(/\.test\.(mjs|ts)$/, "")}`);

test("the page has each group of tests once", () => {
  const line = /^- \*\*Groups\*\*, for `--only`: (.*)\. `npm run nightly/m.exec(read("docs/testing.md"))?.[1] ?? "";
  const named = codeIn(line).filter((code) => !code.includes("/"));
  assert.deepEqual(named.sort(), TEST_GROUPS.map(({ name }) => name).sort());
});

describe("the table of capabilities", () => {
  test("names gate files and night files that are there", () => {
    assert.ok(ROWS.length > 20);
    for (const { capability, gate, night } of ROWS) {
      assert.ok(gate.length > 0, capability);
      for (const name of gate) assert.ok(isThere(name, ""), `${name} is no gate file`);
      for (const name of codeIn(night).filter((one) => !one.includes("*")))
        assert.ok(isThere(name, ".night"), `${name} is no night file`);
      if (night.startsWith(SAME) && !/files/.test(night))
        assert.ok(
          gate.some((name) => isThere(name, ".night")),
          `no file of ${gate.join(", ")} has one by night`,
        );
    }
  });

  test("has each test file", () => {
    const gate = ROWS.flatMap((row) => row.gate);
    const night = [
      ...ROWS.filter((row) => row.night.startsWith(SAME)).flatMap((row) => row.gate),
      ...ROWS.flatMap((row) => codeIn(row.night)),
      // Below the table.
      ...codeIn(SECTION.split(/^By night only: /m)[1] ?? ""),
    ];
    const missing = FOLDERS.flatMap(filesOf).filter((name) =>
      isNightFile(`${name}.test.mjs`) ? !night.includes(name.replace(/\.night$/, "")) : !gate.includes(name),
    );
    assert.deepEqual(missing, []);
  });

  test("has each command of the helper, and the options of the README's questions", () => {
    const named = ROWS.flatMap((row) => codeIn(row.capability)).flatMap((code) => code.split(" "));
    const commands = readdirSync(join(ROOT, "packaging/man")).flatMap(
      (file) => /^extrospect-(\w+)\.1$/.exec(file)?.[1] ?? [],
    );
    const questions = read("README.md").split("## What you can ask")[1]?.split("\n## ")[0] ?? "";
    const options = codeIn(questions)
      .filter((code) => code.startsWith("extrospect "))
      .flatMap((code) => code.match(/(?<= )--\w+/g) ?? []);
    assert.ok(commands.length > 20 && options.length > 5);
    assert.deepEqual(
      [...commands, ...new Set(options)].filter((word) => !named.includes(word)),
      [],
    );
  });
});
