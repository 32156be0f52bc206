// A root folder for VMs of another release is made once, however many runs want it at the same time.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { ROOT } from "../../scripts/project.mjs";

const PROGRAM = `
import { preparedRoot } from ${JSON.stringify(pathToFileURL(join(ROOT, "test/vms/otp.mjs")).href)};
const wanted = { name: "small", suite: "trixie", debian: "Debian 13", packages: ["erlang-base"] };
console.log(JSON.stringify(await Promise.all([preparedRoot(wanted), preparedRoot(wanted)])));
`;

test("two that want a root that is not there: one makes it, and the other one waits and has it", (t) => {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/mmdebstrap"))
    return t.skip("roots are made by root, with mmdebstrap");
  const folder = mkdtempSync(join(tmpdir(), "extrospect-root-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const programs = join(folder, "programs");
  const calls = join(folder, "calls");
  mkdirSync(programs);
  const codename = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "";
  for (const [name, script] of /** @type {const} */ ([
    ["apt-config", ""],
    ["apt-get", `echo 'http://localhost/debian|${codename}|main|Packages'`],
    // The folder is the last word but one.
    ["mmdebstrap", `echo once >> '${calls}'; while [ $# -gt 2 ]; do shift; done; mkdir -p "$1/etc"`],
  ]))
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const caches = join(folder, "caches");
  const env = {
    ...process.env,
    PATH: [programs, process.env["PATH"]].join(delimiter),
    XDG_CACHE_HOME: caches,
  };
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", PROGRAM], {
    encoding: "utf8",
    env,
  });
  const root = join(caches, "extrospect/small");
  assert.equal(stdout.trim(), JSON.stringify([root, root]), stderr);
  assert.equal(readFileSync(calls, "utf8"), "once\n");
  assert.ok(existsSync(join(root, "etc/hosts")));
  assert.deepEqual(readdirSync(join(caches, "extrospect")), ["small"]);
});
