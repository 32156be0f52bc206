// What ships can be built, is small and runs on any x86-64 Linux: main can always be packaged. Where these sources were
// built before, that program is taken.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { HELPER_BYTES_MAX, shippedHelperFault } from "../../scripts/elf-check.mjs";
import { HELPER_VERSION } from "../../scripts/project.mjs";
import { folderFault } from "../../scripts/reproducible.mjs";
import { shippedHelper } from "../../scripts/shipped-helper.mjs";
import { temporaryFolder } from "../e2e/helper.mjs";

test("the helper as it is shipped is built, small, static, without folders of this machine, and it starts", async (t) => {
  const { program, wasThere } = await shippedHelper();
  t.diagnostic(`${program.length} bytes, ${wasThere ? "built before" : "built now"}`);
  assert.ok(program.length <= HELPER_BYTES_MAX);
  assert.equal(shippedHelperFault(program), null);
  assert.equal(folderFault(program), null);
  const file = join(temporaryFolder(t), "extrospect");
  writeFileSync(file, program);
  chmodSync(file, 0o755);
  const run = (/** @type {string[]} */ ...args) => execFileSync(file, args, { encoding: "utf8" });
  assert.match(run("--version"), new RegExp(`^extrospect ${HELPER_VERSION.replaceAll(".", "\\.")}\\b`));
  assert.match(run("--help"), /\brecord\b/);
});
