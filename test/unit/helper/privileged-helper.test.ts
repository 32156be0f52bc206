import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { helperProgram } from "../../../extension/src/helper/helper-program.js";
import {
  installCommand,
  installedCopy,
  joinCommand,
  removeCommand,
} from "../../../extension/src/helper/privileged-helper.js";
import { ENGLISH } from "../recording/fakes.js";

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-privileged-"));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  return folder;
}

test("the installed copy is used while it is the very helper of the extension", (t) => {
  const folder = temporaryFolder(t);
  const installed = join(folder, "installed");
  const bundled = join(folder, "dist/helper/linux-x64/extrospect");
  mkdirSync(dirname(bundled), { recursive: true });
  writeFileSync(bundled, "#!/bin/sh\n# one\n", { mode: 0o755 });
  const chosen = (copy: string | null = installed) =>
    helperProgram(
      {
        configured: "",
        bundled: (path) => join(folder, path),
        installed: copy,
        startBy: "itself",
        platform: "linux-x64",
      },
      ENGLISH,
    );
  assert.deepEqual(chosen(), { path: bundled, startedBy: [], otherVersion: false }, "there is none");
  writeFileSync(installed, "#!/bin/sh\n# one\n", { mode: 0o755 });
  assert.deepEqual(chosen(), { path: installed, startedBy: [], otherVersion: false });
  assert.deepEqual(chosen(null), { path: bundled, startedBy: [], otherVersion: false }, "root needs none");
  writeFileSync(installed, "#!/bin/sh\n# two\n");
  assert.deepEqual(chosen(), { path: bundled, startedBy: [], otherVersion: true }, "as long, and another");
  writeFileSync(installed, "#!/bin/sh\n# longer\n");
  assert.deepEqual(chosen(), { path: bundled, startedBy: [], otherVersion: true });
  chmodSync(installed, 0o644);
  assert.equal(installedCopy(installed, bundled), "none", "it may not be started");
  assert.equal(installedCopy(folder, bundled), "none", "a folder is no program");
});

test("a user named helper comes first", (t) => {
  const own = join(temporaryFolder(t), "mine");
  writeFileSync(own, "#!/bin/sh\n", { mode: 0o755 });
  assert.equal(
    helperProgram(
      { configured: own, bundled: () => "/nowhere", installed: own, startBy: "itself", platform: "linux-x64" },
      ENGLISH,
    ).path,
    own,
  );
});

test("the command gets root's rights by an available program, and quotes the path", (t) => {
  const folder = temporaryFolder(t);
  const program = "/home/o'neil/ext/extrospect";
  const from = (isRoot: boolean) => ({ isRoot, user: "o'neil", path: ["", folder] });
  const quoted = `'/home/o'\\''neil/ext/extrospect'`;
  assert.equal(installCommand(program, from(true)), `${quoted} install`);
  assert.match(installCommand(program, from(false)), /^su -c '/);
  const inner = String.raw`usermod -aG extrospect 'o'\''neil'`;
  assert.equal(joinCommand(from(false)), `su -c '${inner.replaceAll("'", String.raw`'\''`)}'`);
  writeFileSync(join(folder, "doas"), "");
  assert.equal(installCommand(program, from(false)), `doas ${quoted} install`);
  writeFileSync(join(folder, "sudo"), "");
  assert.equal(removeCommand(program, from(false)), `sudo ${quoted} uninstall`);
  assert.equal(joinCommand(from(false)), `sudo usermod -aG extrospect 'o'\\''neil'`);
});
