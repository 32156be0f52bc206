// A helper with rights that its caller lacks (`setcap`): the caller's environment does not choose the files that it
// opens. And the shipped helper contains nothing for tests.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TEST_ONLY_WORDS } from "../../scripts/elf-check.mjs";
import { openFolder } from "../../scripts/temporary-folder.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { forgetting, HELPER, runHelper } from "./helper.mjs";

const CAPABILITIES = "cap_perfmon,cap_bpf,cap_sys_ptrace,cap_sys_nice,cap_ipc_lock+ep";
const NOBODY = 65_534;
/** Folders that do not exist: only the search for them counts. */
const BAIT = { DEBUGINFOD_CACHE_PATH: "/bait-of-debuginfod", XDG_CACHE_HOME: "/bait-of-cache", HOME: "/bait-of-home" };

/**
 * The files below a bait that a helper tries to open while it looks at a VM.
 * @param {string} program @param {number} pid @param {string[]} asUser strace's options for the user that it runs as
 */
function baitsTaken(program, pid, asUser) {
  const strace = [
    "-f",
    "-qq",
    "-e",
    "trace=open,openat,openat2,stat,newfstatat,statx",
    ...asUser,
    program,
    "doctor",
    String(pid),
  ];
  const run = spawnSync("strace", strace, {
    env: { PATH: process.env.PATH, ...BAIT },
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  assert.match(run.stdout, /attached to/, `${run.stdout}\n${run.stderr.slice(-2000)}`);
  return [...new Set(Object.values(BAIT).filter((folder) => run.stderr.includes(`"${folder}/`)))];
}

test("with file capabilities, the environment of an ordinary user selects no files", async (t) => {
  const folder = openFolder("rights");
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const program = join(folder, "extrospect");
  copyFileSync(HELPER, program);
  chmodSync(program, 0o755);
  const setcap = spawnSync("setcap", [CAPABILITIES, program], { encoding: "utf8" });
  if (setcap.status !== 0) {
    t.skip(`this file system keeps no capabilities: ${setcap.stderr.trim()}`);
    return;
  }
  // Their own VM: a helper with rights of its own reports nothing about others (guard.test.mjs).
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_idle", uid: NOBODY });
  t.after(() => vm.kill());

  // A user with only their own rights may choose the place of their file.
  assert.deepEqual(baitsTaken(HELPER, vm.pid, []), Object.values(BAIT), "root's own environment counts");
  assert.deepEqual(baitsTaken(program, vm.pid, ["-u", "nobody"]), [], "that of the user does not");
});

test("only the helper for tests obeys the variable that makes attaching forget facts", async (t) => {
  assert.ok(!readFileSync(HELPER).includes(TEST_ONLY_WORDS), "the variable is in the helper that is shipped");
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_idle" });
  t.after(() => vm.kill());
  const wrong = await forgetting("row=27");
  assert.ok(readFileSync(wrong.program).includes(TEST_ONLY_WORDS));
  assert.notEqual(
    (await runHelper(["pstack", vm.pid], wrong)).code,
    0,
    "the helper for tests takes the wrong row and refuses the VM",
  );
  const shipped = await runHelper(["pstack", vm.pid], { wrapper: wrong.wrapper });
  assert.equal(shipped.code, 0, shipped.stderr);
});
