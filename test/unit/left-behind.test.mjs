// Accounts, policies, disks and control groups of killed tests are known by their names and marks, and no others are taken for them.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { leftNames } from "../accounts.mjs";
import { makePolicyFolder, removeLeftPolicy } from "../e2e/guard-left.mjs";
import { removeLeftContainers } from "../hosts/podman-left.mjs";
import { removeLeftGroups } from "../left-groups.mjs";
import { removeLeftOnMachine } from "../left-on-machine.mjs";
import { leftDisks } from "../small-disks.mjs";

test("accounts and groups of tests that have ended are left, those of running ones and of others are not", () => {
  const lines = (/** @type {string[]} */ ...names) => names.map((name) => `${name}:x:1000:1000::/:/bin/sh\n`).join("");
  const isRunning = (/** @type {string} */ pid) => pid === "12";
  const left = ["xssh34x7", "xtro34a", "xtro34g", "extrospect-pod-34"];
  const others = ["root", "xssh12x7", "xtro12b", "extrospect-pod-12", "xssh", "xtrovert", "axtro34a", "xssh34x7y"];
  assert.deepEqual(leftNames(lines(...others, ...left), isRunning), left);
  assert.deepEqual(leftNames("", isRunning), []);
});

test("the beginning of a run of root removes what killed tests have left, containers before folders", (t) => {
  const place = mkdtempSync(join(tmpdir(), "extrospect-left-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  // The largest process id is less.
  const left = join(place, "extrospect-sshd-99999999-abcdef");
  const leftOpen = join(place, "extrospect-test-builds-99999999-abcdef");
  const others = [`extrospect-sshd-${process.pid}-abcdef`, "extrospect-sshd", "other"].map((name) => join(place, name));
  for (const folder of [left, leftOpen, ...others]) mkdirSync(join(folder, "home"), { recursive: true });
  /** @type {string[]} */
  const ended = [];
  const options = {
    place,
    openPlaces: [place],
    removeAccounts: () => void ended.push("accounts"),
    removeContainers: () => void ended.push(existsSync(leftOpen) ? "containers" : "containers without folders"),
  };
  removeLeftOnMachine({ uid: 1000, ...options });
  assert.ok(existsSync(left) && existsSync(leftOpen) && ended.length === 0);
  removeLeftOnMachine({ uid: 0, ...options });
  assert.deepEqual(
    [left, leftOpen, ...others].map((folder) => existsSync(folder)),
    [false, false, true, true, true],
  );
  assert.deepEqual(ended, ["accounts", "containers"]);
});

test("containers of tests that have ended end before their storage goes, those of running ones and of others stay", (t) => {
  const place = mkdtempSync(join(tmpdir(), "extrospect-left-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const left = join(place, "extrospect-podman-99999999-abcdef");
  const others = [`extrospect-podman-${process.pid}-abcdef`, "extrospect-podman-abcdef"].map((name) =>
    join(place, name),
  );
  for (const folder of [left, ...others]) mkdirSync(join(folder, "storage"), { recursive: true });
  /** @type {[string, boolean][]} */
  const ended = [];
  removeLeftContainers(place, (folder) => void ended.push([folder, existsSync(folder)]));
  assert.deepEqual(ended, [[left, true]]);
  assert.deepEqual(
    [left, ...others].map((folder) => existsSync(folder)),
    [false, true, true],
  );
  removeLeftContainers(join(place, "not/there"), () => assert.fail());
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

test("disks of tests that have ended are left, those of running ones and of others are not", () => {
  const mounts = [
    "tmpfs /run tmpfs rw 0 0",
    "extrospect-test-34 /opt/a tmpfs rw,size=4k 0 0",
    "extrospect-test-12 /opt/b tmpfs rw,size=4k 0 0",
    "extrospect-test-34 /tmp/with\\040space tmpfs rw,size=4k 0 0",
    "extrospect-test-x /opt/c tmpfs rw 0 0",
    "/dev/sda1 /extrospect-test-34 ext4 rw 0 0",
  ].join("\n");
  assert.deepEqual(
    leftDisks(`${mounts}\n`, (pid) => pid === "12"),
    ["/tmp/with space", "/opt/a"],
  );
  assert.deepEqual(
    leftDisks("", () => false),
    [],
  );
});

test("control groups of tests that have ended go on and are removed, those of running ones and of others are not", (t) => {
  const tree = mkdtempSync(join(tmpdir(), "extrospect-left-"));
  t.after(() => rmSync(tree, { recursive: true, force: true }));
  const make = (/** @type {string[]} */ ...names) => mkdirSync(join(tree, ...names), { recursive: true });
  make("extrospect test 34", "vm");
  make("extrospect-test-34");
  make("extrospect unknowns 34");
  make("extrospect test 12", "vm");
  make("system.slice");
  // Here a folder with a file cannot be removed, as a group whose processes have not ended.
  make("extrospect unknowns 35");
  const frozen = join(tree, "extrospect unknowns 35/freezer.state");
  writeFileSync(frozen, "FROZEN");
  removeLeftGroups(tree, (pid) => pid === "12");
  const isThere = (/** @type {string} */ name) => existsSync(join(tree, name));
  assert.deepEqual(["extrospect test 34", "extrospect-test-34", "extrospect unknowns 34"].filter(isThere), []);
  assert.ok(isThere("extrospect test 12/vm") && isThere("system.slice"));
  assert.equal(readFileSync(frozen, "utf8"), "THAWED");
});
