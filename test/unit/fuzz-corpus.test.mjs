// The findings of fuzzing that the repository keeps.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { fuzzTargets } from "../../scripts/fuzz.mjs";
import { inputsOf, keptFile, MAX_KEPT_BYTES, pack } from "../../scripts/fuzz-corpus.mjs";

test("corpora that are kept are small, each of a target that there is", () => {
  const folder = dirname(keptFile("any"));
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names) {
    assert.ok(fuzzTargets().includes(name.replace(/\.gz$/, "")), name);
    const file = readFileSync(`${folder}/${name}`);
    assert.ok(file.length <= MAX_KEPT_BYTES, `${name}: ${file.length} bytes`);
    assert.ok(inputsOf(file).length > 0, name);
  }
});

test("inputs are kept as they are, the smallest where there is no room for all", () => {
  const inputs = [Buffer.from("long enough to be left out"), Buffer.alloc(0), Buffer.from([0, 255]), Buffer.from("a")];
  assert.deepEqual(inputsOf(pack(inputs).file).map(String), [
    "a",
    Buffer.from([0, 255]).toString(),
    "long enough to be left out",
  ]);
  const few = pack(inputs, 32);
  assert.equal(few.count, 2);
  assert.ok(few.file.length <= 32);
});
