// Lines of C and Rust: a NIF's own source, functions that were inlined too, by its debug information.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { nativeHotLines, runNativeProject } from "../vms/native.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { recordUntil } from "../e2e/enough.mjs";
import { helperJson, temporaryFolder } from "../e2e/helper.mjs";

/** Of each library: enough to distinguish its hot line from others. */
const SAMPLES = 200;

test("a NIF in C and one in Rust have their hot lines, also those of inlined functions", async (t) => {
  const folder = temporaryFolder(t);
  const vm = await runNativeProject(folder);
  t.after(() => vm.kill());
  const file = join(folder, "native.pb.gz");
  const hot = nativeHotLines();
  const topOf = () => helperJson(["top", file, "-n", 0, "--own", folder, "--by", "line"]);
  const top = await recordUntil(
    vm.pid,
    { seconds: 2, hz: 997, file },
    `${SAMPLES} samples in each hot line`,
    topOf,
    ({ lines }) =>
      hot.every(({ name, line }) =>
        lines.some((/** @type {any} */ row) => row.function === name && row.line === line && row.self >= SAMPLES),
      ),
  );
  for (const { name, file: of, line } of hot) {
    const rows = top.lines
      .filter((/** @type {any} */ row) => row.function === name)
      .sort((/** @type {any} */ a, /** @type {any} */ b) => b.self - a.self);
    t.diagnostic(`${name}: ${rows.map((/** @type {any} */ row) => `${row.line}: ${row.self}`).join(", ")}`);
    assert.deepEqual(
      { file: rows[0].file, line: rows[0].line },
      { file: of, line },
      "the hottest line of the function",
    );
    const row = top.functions.find((/** @type {any} */ candidate) => candidate.function === name);
    assert.equal(row.kind, "nif");
    // The kernel interrupts it now and then.
    assert.ok(row.own >= row.self && row.own <= row.total, `its own code: ${JSON.stringify(row)}`);
  }

  // Below the inlined function is the one whose code it is, below that the NIF and its Erlang caller.
  const stacks = readProfile(file).samples.map(({ frames }) => frames.map(({ name }) => name));
  const below = (/** @type {string} */ leaf, /** @type {string[]} */ wanted) => {
    const stack = stacks.find((names) => names[0] === leaf) ?? [];
    assert.deepEqual(
      stack.filter((name) => wanted.includes(name)),
      wanted,
      stack.join(", "),
    );
  };
  below("mixed", ["mixed", "scored", "score", "shop_c:score/1", "shop_native:forever/1"]);
  below("shop_rust::Weight::added", [
    "shop_rust::Weight::added",
    "shop_rust::weighed",
    "shop_rust::weigh",
    "shop_native:forever/1",
  ]);
});
