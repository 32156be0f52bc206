// Own time: a sample counts for the innermost line of the user's own code, with everything that it called. Compared
// with programs whose sources mark the hot lines.
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assertRefused, helperJson, runHelper, temporaryFolder } from "../e2e/helper.mjs";

test("a folder without the capture's code is reported, with the remedy", async (t) => {
  const fixture = join(dirname(fileURLToPath(import.meta.url)), "../unit/capture/fixtures/demo.pb.gz");
  const folder = temporaryFolder(t);
  const refused = async (/** @type {string} */ own, /** @type {RegExp} */ reason, code = 1) => {
    const result = await runHelper(["top", fixture, "--own", own]);
    assertRefused(result, code);
    assert.match(result.stderr, reason);
    assert.match(result.stderr, /give --own the folder of the project/);
  };
  await refused(join(folder, "gone"), /the folder .*gone is missing/, 2);
  writeFileSync(join(folder, "file"), "");
  await refused(join(folder, "file"), /file is no folder/, 2);
  await refused(folder, /no Erlang or Elixir source below .*hidden folders, deps/);
  writeFileSync(join(folder, "other.erl"), "-module(other).\n");
  await refused(
    folder,
    /none of the \d+ Erlang modules in the samples has its source below .*most samples are in .*\.erl/,
  );
  assertRefused(await runHelper(["top", fixture, "--sort", "own"]), 2);
  assert.ok(readdirSync(folder).length === 2, "nothing was written there");
});

test("by line without own code goes by self time", async () => {
  const fixture = join(dirname(fileURLToPath(import.meta.url)), "../unit/capture/fixtures/demo.pb.gz");
  const { lines, functions } = await helperJson(["top", fixture, "--by", "line", "-n", 20]);
  assert.equal(lines.length, 20);
  assert.deepEqual(Object.keys(lines[0]).sort(), ["file", "function", "line", "self", "total"]);
  assert.ok(
    lines.every(
      (/** @type {any} */ row, /** @type {number} */ index) => index === 0 || lines[index - 1].self >= row.self,
    ),
    "most self first",
  );
  assert.equal("own" in functions[0], false);
});
