import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isDestination, sshArguments } from "../../../extension/src/remote/ssh-command.js";
import { configuredHosts } from "../../../extension/src/remote/ssh-config.js";
import { startScript } from "../../../extension/src/remote/start-script.js";

test("hosts are those that are named, also by included files; patterns are none", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-ssh-"));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  const config = join(folder, "config");
  assert.deepEqual(configuredHosts(config), [], "there is none");
  mkdirSync(join(folder, "conf.d"));
  writeFileSync(join(folder, "conf.d/b.conf"), 'Host inner "quoted"\n  HostName 10.0.0.1\nInclude config\n');
  writeFileSync(join(folder, "conf.d/c.txt"), "Host not-included\n");
  writeFileSync(
    config,
    "Include conf.d/*.conf missing\nhost=web web2\n# Host commented\n  HOST  *.example ?x !not db -oProxyCommand=evil $(id) a;b\nMatch host foo\nHost web\n",
  );
  assert.deepEqual(configuredHosts(config), ["web", "web2", "db", "inner", "quoted"]);
});

test("a destination is no option and no word of a shell", () => {
  for (const good of ["web", "me@10.0.0.1", "ssh://me@host:2222", "[::1]", "a-b_c.d", "DOMAIN+me@host"])
    assert.ok(isDestination(good), good);
  for (const bad of ["", "-oProxyCommand=x", "a b", "a;b", "$(x)", "a\nb", "a`b", "x".repeat(256), "a\u202eb", "*"]) {
    assert.ok(!isDestination(bad), bad);
    assert.throws(() => sshArguments(bad), RangeError);
  }
  assert.deepEqual(sshArguments("web").slice(-3), ["--", "web", "exec /bin/sh"]);
});

test("nothing goes into the script that a shell would read as more than a word", () => {
  const wish = { word: "w", helper: undefined, version: "extrospect 0.1.0", startBy: "itself" } as const;
  assert.match(startScript(wish), /= 'extrospect 0\.1\.0'/);
  for (const evil of ["a'b", "$(id)", "a\nb", "`x`", "a;b"])
    assert.throws(() => startScript({ ...wish, version: evil }), RangeError);
});
