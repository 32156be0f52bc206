// Two runs of the tests at once, in two clones, share the machine: what a test has there once is its own, or behind a lock.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { namedAlone } from "../vms/vm.mjs";

const FILES = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.(mjs|ts)$/.test(file) && file !== "unit/two-runs.test.mjs")
  .map((file) => ({ file, text: readFileSync(join(ROOT, "test", file), "utf8") }));

/** Files and the texts in them that match. @param {RegExp} pattern with the flag g @returns {string[]} */
const found = (pattern) =>
  FILES.flatMap(({ file, text }) => [...text.matchAll(pattern)].map(([one]) => `${file}: ${one}`));

test("a VM with a name starts no epmd, and looks for none", () => {
  const lists = found(/\[[^[\]]*"-s?name",[^[\]]*\]/g);
  // Else the pattern would find nothing.
  assert.ok(lists.length > 3, lists.join("\n"));
  assert.deepEqual(
    lists.filter((one) => !/"-start_epmd",\s*"false"/.test(one)),
    [],
  );
  assert.ok(namedAlone("x").join(" ").includes("-start_epmd false"));
});

test("a server ends with the process of its test, also when that is killed", () => {
  const started = found(/\bspawn\w*\([^;()]*"(?:epmd|--daemon)"/g).map((one) => one.split(":")[0] ?? "");
  // Those tests run inside of an editor, and import nothing of the others.
  assert.deepEqual(
    started.filter((file) => !file.startsWith("editor/api/")),
    [],
  );
});

test("VMs listen on ports that are free", () => {
  assert.deepEqual(found(/"-erl_epmd_port",\s*"\d+"/g), []);
});

test("accounts are added under their lock alone", () => {
  const added = found(/(?:must|spawnSync|execFileSync)\(\s*"(?:useradd|groupadd)"/g).map((one) => one.split(":")[0]);
  // The tests of the installed helper have the lock to their end.
  assert.deepEqual([...new Set(added)].sort(), ["accounts.mjs", "e2e/guard.night.test.mjs", "e2e/guard.test.mjs"]);
});
