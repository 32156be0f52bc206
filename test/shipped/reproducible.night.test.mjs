// The helper as it is shipped: small, and the same bytes when it is built twice, in different folders and with its crates in different
// folders. Two builds from nothing take some ten minutes, so this is for the night: `npm test` builds it once, where its sources have changed
// (builds.test.mjs). Nothing is put in the place of the helper that other tests run.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { compile } from "../../scripts/compile-helper.mjs";
import { shippedHelperFault } from "../../scripts/elf-check.mjs";
import { HELPER_WORKSPACE, ROOT } from "../../scripts/project.mjs";
import { CARGO_HOME, folderFault } from "../../scripts/reproducible.mjs";
import { temporaryFolder } from "../e2e/helper.mjs";

/** @param {Buffer} bytes */
const sum = (bytes) => createHash("sha256").update(bytes).digest("hex");

test("the helper as it is shipped is small, and built in another folder the same bytes", async (t) => {
  const shipped = await compile({});
  assert.equal(shippedHelperFault(shipped), null);
  assert.equal(folderFault(shipped), null);
  const folder = temporaryFolder(t);
  const workspace = join(folder, "somewhere else/native");
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "."], {
    cwd: HELPER_WORKSPACE,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  for (const path of listed.split("\0").filter((name) => name !== "")) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    cpSync(join(HELPER_WORKSPACE, path), join(workspace, path));
  }
  // Files of the contract are included by some crates' tests only; the crates are those that are there already.
  const cargoHome = join(folder, "other-cargo");
  mkdirSync(cargoHome);
  symlinkSync(join(CARGO_HOME, "registry"), join(cargoHome, "registry"));
  const again = await compile({ workspace, cargoHome });
  assert.ok(!again.includes(folder) && !again.includes(ROOT));
  t.diagnostic(`sha256 ${sum(again)}`);
  assert.equal(sum(again), sum(shipped));
  t.diagnostic(`${shipped.length} bytes`);
});
