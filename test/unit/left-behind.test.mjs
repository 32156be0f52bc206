// Accounts and policies of killed tests are known by their names and marks, and no others are taken for them.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { leftNames } from "../accounts.mjs";
import { makePolicyFolder, removeLeftPolicy } from "../e2e/guard-left.mjs";

test("accounts and groups of tests that have ended are left, those of running ones and of others are not", () => {
  const lines = (/** @type {string[]} */ ...names) => names.map((name) => `${name}:x:1000:1000::/:/bin/sh\n`).join("");
  const isRunning = (/** @type {string} */ pid) => pid === "12";
  const left = ["xssh34x7", "xtro34a", "xtro34g", "extrospect-pod-34"];
  const others = ["root", "xssh12x7", "xtro12b", "extrospect-pod-12", "xssh", "xtrovert", "axtro34a", "xssh34x7y"];
  assert.deepEqual(leftNames(lines(...others, ...left), isRunning), left);
  assert.deepEqual(leftNames("", isRunning), []);
});

test("a policy that a test has left goes, and the machine's own stays", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-left-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const place = join(folder, "etc");
  removeLeftPolicy(place);
  makePolicyFolder(place);
  writeFileSync(join(place, "policy.toml"), "[users]\n");
  removeLeftPolicy(place);
  assert.ok(!existsSync(place));
  mkdirSync(place);
  removeLeftPolicy(place);
  assert.ok(!existsSync(place), "nothing was written yet");
  mkdirSync(place);
  writeFileSync(join(place, "policy.toml"), "[users]\n");
  removeLeftPolicy(place);
  assert.ok(existsSync(join(place, "policy.toml")));
});
