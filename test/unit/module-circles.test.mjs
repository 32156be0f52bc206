// Crates and folders whose modules import each other in a circle cannot be read one after the other.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

test("no modules import each other in a circle", () => {
  const check = fileURLToPath(new URL("../../scripts/check-module-cycles.mjs", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [check], { encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
});
