// A full disk is no bug of Extrospect: a sentence names it, and its fix.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { writeGateRecord } from "../../scripts/gate-record.mjs";
import { explain, Problem } from "../../scripts/problem.mjs";
import { ensureWritable } from "../../scripts/test-surroundings.mjs";

/** @param {() => void} work @returns {string} the printed text of its error */
function explained(work) {
  try {
    work();
  } catch (error) {
    return explain(error);
  }
  return assert.fail("no error");
}

test("a write to a full disk", () => {
  const said = explained(() => writeFileSync("/dev/full", "a"));
  assert.match(said, /^\nerror: the disk is full\n {2}why: ENOSPC: .*\n {2}fix: df -h; df -i /);
  const path = join(import.meta.dirname, "not/there/yet");
  const withPath = explain(Object.assign(new Error("ENOSPC: no space"), { code: "ENOSPC", syscall: "mkdir", path }));
  assert.match(withPath, new RegExp(`fix: df -h ${import.meta.dirname}; df -i ${import.meta.dirname} `));
});

test("a folder with spaces is one word of the fix", (t) => {
  const folder = join(mkdtempSync(join(tmpdir(), "extrospect-disk-")), "with a space");
  t.after(() => rmSync(dirname(folder), { recursive: true, force: true }));
  mkdirSync(folder);
  const path = join(folder, "a");
  const said = explain(Object.assign(new Error("ENOSPC: no space"), { code: "ENOSPC", syscall: "write", path }));
  assert.ok(said.includes(`fix: df -h '${folder}'; df -i '${folder}' `), said);
  writeFileSync(path, "");
  assert.throws(
    () => ensureWritable([join(path, "below")]),
    (error) => error instanceof Problem && error.fix.startsWith(`mv '${path}' '${path}.old' `),
  );
});

test("other errors of disks, and a fault that is none of them", () => {
  const error = (/** @type {string} */ code, syscall = "open") =>
    explain(Object.assign(new Error(code), { code, syscall, path: "/etc/passwd" }));
  assert.match(error("EROFS"), /error: the disk is read-only[\s\S]*findmnt --target \/etc$/);
  assert.match(error("EDQUOT"), /error: this user may not store more/);
  assert.match(error("ENOSPC", "watch"), /unexpected error/);
  assert.match(error("ENOENT"), /unexpected error/);
});

test("a folder for temporary files that goes while tests run", () => {
  const said = explained(() => mkdtempSync(join(import.meta.dirname, "not-there/a-")));
  assert.match(said, /error: no temporary files can be made\n {2}why: ENOENT.*\n {2}fix: mkdir -p .*\/not-there {3}or/);
});

test("where a record cannot be written, none of an earlier run is left", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-gate-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "gate.json");
  writeFileSync(path, "{}");
  mkdirSync(`${path}.${process.pid}`);
  const state = { commit: "abc", isClean: true, changedDuring: [] };
  const counts = { passed: 1, failed: 0 };
  const record = {
    nightly: false,
    counts,
    skipped: [],
    unstable: [],
    passed: true,
    seconds: 1,
    cpuSeconds: 1,
    lanes: {},
  };
  assert.throws(() => writeGateRecord(state, record, path), { code: "EISDIR" });
  assert.ok(!existsSync(path));
});
