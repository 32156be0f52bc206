// What tests need of a machine is named before they run.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Problem } from "../../scripts/problem.mjs";
import { TEST_GROUPS } from "../../scripts/test-groups.mjs";
import { ensureRoot, ensureWritable } from "../../scripts/test-surroundings.mjs";

test("a folder that cannot be written, or made, is named with its nearest parent", () => {
  ensureWritable([import.meta.dirname, join(import.meta.dirname, "not/there")]);
  const isWritable = (/** @type {string} */ folder) => folder !== import.meta.dirname;
  assert.throws(
    () => ensureWritable(["/", join(import.meta.dirname, "not/there")], { isWritable }),
    (error) => error instanceof Problem && error.why.startsWith(`${import.meta.dirname} is read-only`),
  );
});

test("without root only what needs it is refused, and the other tests are named", () => {
  const group = (/** @type {string[]} */ needs, needsRoot = false) => ({ needs, needsRoot });
  ensureRoot([group(["system", "otp"]), group(["npm"], true)], { uid: 0 });
  ensureRoot([group(["npm", "bundles"])], { uid: 1000 });
  for (const one of [group(["npm", "otp"]), group(["npm"], true)])
    assert.throws(
      () => ensureRoot([group(["npm"]), one], { uid: 1000 }),
      (error) => error instanceof Problem && error.fix.includes("npm test -- --quick"),
    );
  assert.deepEqual(
    TEST_GROUPS.filter(({ needsRoot = false }) => needsRoot).map(({ name }) => name),
    ["hosts"],
  );
});
