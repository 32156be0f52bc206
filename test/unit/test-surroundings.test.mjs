// What tests need of a machine is named before they run.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Problem } from "../../scripts/problem.mjs";
import { TEST_GROUPS } from "../../scripts/test-groups.mjs";
import {
  ensureNoTestOptions,
  ensureOwnClone,
  ensureRoot,
  ensureTemporaryFolder,
  ensureWritable,
} from "../../scripts/test-surroundings.mjs";

test("a folder that cannot be written, or made, is named with its nearest parent", () => {
  ensureWritable([import.meta.dirname, join(import.meta.dirname, "not/there")]);
  const isWritable = (/** @type {string} */ folder) => folder !== import.meta.dirname;
  assert.throws(
    () => ensureWritable(["/", join(import.meta.dirname, "not/there")], { isWritable }),
    (error) => error instanceof Problem && error.why.startsWith(`${import.meta.dirname} is read-only`),
  );
});

test("a clone in which another user has built is named, before anything is built in it", (t) => {
  const root = mkdtempSync(join(tmpdir(), "extrospect-own-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const isWritable = (/** @type {string} */ folder) => folder === root;
  ensureOwnClone(root, { isWritable });
  mkdirSync(join(root, "dist"));
  assert.throws(
    () => ensureOwnClone(root, { isWritable }),
    (error) => error instanceof Problem && error.why.startsWith(`${root}/dist is read-only`),
  );
});

test("a file in the place of a folder is named", () => {
  assert.throws(
    () => ensureWritable([join(import.meta.filename, "below")]),
    (error) => error instanceof Problem && error.why === `${import.meta.filename} is no folder`,
  );
});

test("a folder for temporary files that is none is named with its fix", (t) => {
  const usable = mkdtempSync(join(tmpdir(), "extrospect-usable-"));
  t.after(() => rmSync(usable, { recursive: true, force: true }));
  ensureTemporaryFolder(usable);
  assert.deepEqual(readdirSync(usable), []);
  assert.throws(
    () => ensureTemporaryFolder(usable, { mayRun: () => false }),
    (error) => error instanceof Problem && /mounted noexec/.test(error.why) && error.fix.includes("=/var/tmp npm test"),
  );
  const missing = join(import.meta.dirname, "not/there");
  for (const [folder, isWritable, why, fix] of /** @type {const} */ ([
    [missing, true, `is ${missing}, which does not exist`, `mkdir -p ${missing} `],
    [import.meta.filename, true, `is ${import.meta.filename}, which is no folder`, "=/var/tmp npm test"],
    ["tmp", true, "is tmp, which is no absolute path", "=/var/tmp npm test"],
    [import.meta.dirname, false, `is ${import.meta.dirname}, which user `, "=/var/tmp npm test"],
  ]))
    assert.throws(
      () => ensureTemporaryFolder(folder, { isWritable: () => isWritable }),
      (error) => error instanceof Problem && error.why.includes(why) && error.fix.includes(fix),
      folder,
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

test("options of Node that leave out tests are refused, others are the user's", () => {
  for (const options of ["", "--max-old-space-size=4096 --no-warnings", "--require=./my--test.cjs"])
    ensureNoTestOptions(options);
  for (const options of ["--test-only", "--no-warnings --test-shard=1/2"])
    assert.throws(
      () => ensureNoTestOptions(options),
      (error) => error instanceof Problem && /--test-(only|shard=1\/2)/.test(error.why),
    );
});
