// A VM that has mapped a file which never answers: every command ends by itself, at the first signal, and leaves no more
// and no more processes behind.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openFolder } from "../../scripts/temporary-folder.mjs";
import { until } from "../until.mjs";
import { HELPER, runHelper } from "./helper.mjs";

/** The longest time of a command: the limit of reading a VM, the time to end that, and time for a busy machine. */
const LIMIT_MS = 60_000;
const SILENT = /could not be read within/;
const UNABLE = existsSync("/dev/fuse") && process.getuid?.() === 0 ? false : "this takes root and /dev/fuse";

/** @type {string} */
let folder;
/** @type {import("node:child_process").ChildProcess | undefined} */
let server;
/** @type {import("node:child_process").ChildProcess | undefined} */
let target;

/**
 * The first line of a program's output.
 * @param {import("node:child_process").ChildProcess} child @returns {Promise<string>}
 */
function firstLine(child) {
  return new Promise((resolve, reject) => {
    child.stdout?.once("data", (text) => resolve(String(text).trim()));
    child.once("exit", (code) => reject(new Error(`it ended with ${code}`)));
  });
}

before(async () => {
  if (UNABLE) return;
  folder = openFolder("silent");
  const program = join(folder, "silent_fs");
  execFileSync("cc", [
    "-O2",
    "-Wall",
    "-o",
    program,
    fileURLToPath(new URL("../vms/src/silent_fs.c", import.meta.url)),
  ]);
  linkSync(program, join(folder, "beam.smp"));
  mkdirSync(join(folder, "mounted"));
  server = spawn(program, [join(folder, "mounted")], { stdio: ["ignore", "pipe", "inherit"] });
  assert.equal(await firstLine(server), "mounted");
  target = spawn(join(folder, "beam.smp"), [join(folder, "mounted/file")], { stdio: ["ignore", "pipe", "inherit"] });
  assert.equal(Number(await firstLine(target)), target.pid);
});

after(async () => {
  target?.kill("SIGKILL");
  // With it every read that waits has an error.
  server?.kill("SIGKILL");
  if (folder === undefined) return;
  spawnSync("umount", ["-l", join(folder, "mounted")]);
  rmSync(folder, { recursive: true, force: true });
});

/** Processes of the helper that read the target. @param {number} pid */
function looking(pid) {
  const names = [`look-${pid}`, `sampler-${pid}`];
  return readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && names.includes(commOf(entry)));
}

/** @param {string} entry */
function commOf(entry) {
  try {
    return readFileSync(`/proc/${entry}/comm`, "utf8").trim();
  } catch {
    return "";
  }
}

test("the first signal ends a record that waits for it", { skip: UNABLE }, async (t) => {
  const pid = Number(target?.pid);
  const record = spawn(HELPER, ["record", String(pid), "-o", join(folder, "none.pb.gz")], { stdio: "ignore" });
  t.after(() => record.kill("SIGKILL"));
  const ended = new Promise((resolve) => record.once("exit", (code) => resolve(code)));
  await until("it looks at the target", () => looking(pid).length > 0);
  record.kill("SIGINT");
  assert.equal(await ended, 130);
});

test("record and look end by themselves, and no more processes are left each time", { skip: UNABLE }, async () => {
  const pid = Number(target?.pid);
  for (let round = 0; round < 3; round++) {
    const record = await runHelper(["record", pid, "-d", 1, "-o", join(folder, "none.pb.gz")], { timeoutMs: LIMIT_MS });
    assert.notEqual(record.code, 0);
    assert.match(record.stderr, SILENT);
    const look = await runHelper(["look", pid], { timeoutMs: LIMIT_MS });
    assert.match(look.stdout + look.stderr, SILENT);
  }
  // Four at a time, however many requests there are.
  const left = looking(pid).length;
  assert.ok(left <= 5, `${left} processes are left`);
  const rows = await runHelper(["list", "--json"], { timeoutMs: LIMIT_MS });
  const row = JSON.parse(rows.stdout).find((/** @type {any} */ found) => found.pid === pid);
  assert.equal(row?.attachable, false);
  assert.match(row.reason, SILENT);
  assert.equal(looking(pid).length, left, "list starts none for it");
});
