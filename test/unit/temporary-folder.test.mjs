// Temporary files are gone after a run: its own at its end, and those of a killed one at the start of the next.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { nodeTest } from "../../scripts/run-tests.mjs";
import {
  folderOfFile,
  inTemporaryFolder,
  LONGEST_PLACE_BYTES,
  openFolder,
  openPath,
  openPlaces,
  place,
  removeLeftFolders,
  removeLeftOpenFolders,
} from "../../scripts/temporary-folder.mjs";
import { must } from "../must.mjs";

/** No process has this id: it is more than any Linux gives. */
const ENDED = 4194305;

/** @param {import("node:test").TestContext} t */
function folderFor(t) {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-temporary-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("folders of runs that have ended go, those of running ones and all others stay", (t) => {
  const folder = folderFor(t);
  const stay = [
    `extrospect-${process.pid}-abcDE1`,
    "extrospect-ask-abcDE1",
    `extrospect-${ENDED}`,
    `x-extrospect-${ENDED}-abcDE1`,
  ];
  const left = `extrospect-${ENDED}-abcDE1`;
  for (const name of [...stay, left]) mkdirSync(join(folder, name, "t/extrospect-editor-1"), { recursive: true });
  removeLeftFolders(folder);
  assert.deepEqual(readdirSync(folder).sort(), stay.sort());
});

test("folders that others enter have the process of their test: those of ended ones go, from each root", (t) => {
  const roots = folderFor(t);
  for (const name of ["trixie/var/tmp", "builds"]) mkdirSync(join(roots, name), { recursive: true });
  const below = ["builds/var/tmp", "trixie/var/tmp"].map((path) => join(roots, path));
  assert.deepEqual(new Set(openPlaces(roots)), new Set(["/var/tmp", ...below]));
  assert.deepEqual(openPlaces(join(roots, "not/there")), ["/var/tmp"]);
  const place = join(roots, "trixie/var/tmp");
  const own = openFolder("unit");
  t.after(() => rmSync(own, { recursive: true, force: true }));
  assert.equal(statSync(own).mode & 0o777, 0o700);
  assert.notEqual(openPath("unit"), own);
  const stay = [
    basename(own),
    basename(openPath("unit")),
    // A user's own.
    `extrospect-shop-${ENDED}`,
    `extrospect-shop-${ENDED}-backup`,
    `extrospect-test-${ENDED}.pb.gz`,
  ];
  const left = `extrospect-test-unit-${ENDED}-a1b2c3`;
  for (const name of [...stay, left]) mkdirSync(join(place, name, "_build"), { recursive: true });
  removeLeftOpenFolders(openPlaces(roots));
  assert.deepEqual(readdirSync(place).sort(), stay.sort());
  assert.ok(existsSync(own));
});

test("tests make no folder there in another way", () => {
  const words = ["grep", "-nE", "/var/tmp/extrospect-[a-z]+-[^0-9a-z]", "--", "test", "scripts", "bench"];
  assert.equal(spawnSync("git", words, { cwd: ROOT, encoding: "utf8" }).stdout, "");
});

test("what is mounted below such a folder stays as it is", (t) => {
  if (process.getuid?.() !== 0) return t.skip("only root mounts");
  const folder = folderFor(t);
  const [left, machine] = [join(folder, `extrospect-${ENDED}-abcDE1`, "t/a b"), join(folder, "machine")];
  for (const path of [left, machine]) mkdirSync(path, { recursive: true });
  writeFileSync(join(machine, "file"), "");
  must("mount", "--bind", machine, left);
  removeLeftFolders(folder);
  assert.deepEqual(readdirSync(folder), ["machine"]);
  assert.ok(existsSync(join(machine, "file")));
});

test("a test file has a folder of its own for temporary files, which goes with it; a run that it starts has none within", async (t) => {
  const folder = folderFor(t);
  const [file, seen] = [join(folder, "some.test.mjs"), join(folder, "seen")];
  writeFileSync(
    file,
    `import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
writeFileSync(${JSON.stringify(seen)}, mkdtempSync(join(tmpdir(), "extrospect-editor-")));
process.kill(process.pid, "SIGKILL");`,
  );
  await nodeTest(file, { signal: new AbortController().signal });
  const left = readFileSync(seen, "utf8");
  const own = dirname(left);
  assert.match(own, new RegExp(`/extrospect-${process.pid}-\\w{6}/t$`));
  assert.equal(existsSync(dirname(own)), false);
  await inTemporaryFolder(async (outer) => {
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = folderOfFile(outer);
    try {
      assert.equal(statSync(tmpdir()).mode & 0o7777, 0o1777, "other users have files there, too");
      await inTemporaryFolder(async (inner) => assert.equal(dirname(inner), dirname(outer)));
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
  });
  assert.equal(basename(own), "t");
});

test("a folder whose path leaves no room for sockets is for other programs alone", () => {
  const fits = `/${"a".repeat(LONGEST_PLACE_BYTES - 1)}`;
  assert.equal(place(fits), fits);
  assert.equal(place(`${fits}b`), "/tmp");
  // A run that a test starts: its own folder is beside that of the test.
  assert.equal(place(`${fits}/extrospect-7-abcdef/t`), fits);
});
