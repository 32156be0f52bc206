// Lines of C and Rust: a NIF's own source, functions that were inlined too, by its debug information.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { nativeHotLines, runNativeProject } from "../vms/native.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { recordEnough, samplesIn } from "../e2e/enough.mjs";
import { helperJson, temporaryFolder } from "../e2e/helper.mjs";

/** Of each hot line. */
const SAMPLES = 10;

test("a NIF in C and one in Rust have their hot lines, also those of inlined functions", async (t) => {
  const folder = temporaryFolder(t);
  const vm = await runNativeProject(folder);
  t.after(() => vm.kill());
  const file = join(folder, "native.pb.gz");
  const hot = nativeHotLines();
  // Which of them is the hottest is a matter of more samples: by night.
  await recordEnough(vm.pid, { hz: 997, file }, `${SAMPLES} samples in each hot line`, (profile) =>
    hot.every(
      ({ name, line }) =>
        samplesIn(profile, ({ frames }) => frames[0]?.name === name && frames[0].line === line) >= SAMPLES,
    ),
  );
  const top = await helperJson(["top", file, "-n", 0, "--own", folder, "--by", "line"]);
  for (const { name, file: of, line } of hot) {
    const lines = top.lines.filter((/** @type {any} */ row) => row.function === name && row.line === line);
    assert.deepEqual(
      lines.map((/** @type {any} */ row) => row.file),
      [of],
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
