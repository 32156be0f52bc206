// list, doctor and pstack on live VMs, as root and as another user.
import assert from "node:assert/strict";
import { readlinkSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openFolder } from "../../scripts/temporary-folder.mjs";
import { measured } from "../measured.mjs";
import { until } from "../until.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { asNobody, NOBODY } from "./fewer-rights.mjs";
import { assertRefused, HELPER, helperJson, runHelper, temporaryFolder } from "./helper.mjs";

/** @type {Map<string, import("../vms/otp.mjs").OtpInstallation>} */
const installations = new Map();
/** One that does nothing, of each release. @type {Map<string, import("../vms/vm.mjs").RunningVm>} */
const idle = new Map();
before(async () => {
  for (const release of OTP_RELEASES) {
    const otp = await prepareOtp(release);
    installations.set(release, otp);
    idle.set(release, await runErl({ otp, module: "gt_idle" }));
  }
});
after(() => {
  for (const vm of idle.values()) vm.kill();
});

function idleVm() {
  const vm = idle.get("25");
  assert.ok(vm);
  return vm;
}

/** @param {import("node:test").TestContext} t @param {string} module @param {{release?: string, args?: (string | number)[], uid?: number, emulatorFlags?: string[]}} [options] */
async function vmFor(t, module, { release = "25", ...rest } = {}) {
  const otp = installations.get(release);
  assert.ok(otp);
  const vm = await runErl({ otp, module, ...rest });
  t.after(() => vm.kill());
  return vm;
}

/** @param {any[]} rows @param {string} check */
const rowOf = (rows, check) => rows.find((row) => row.check === check);

test("list describes each VM", async (t) => {
  const busy = await vmFor(t, "gt_erlang", { args: NOW_AND_THEN.args });
  const begun = performance.now();
  const rows = await helperJson(["list"]);
  const tookMs = performance.now() - begun;
  for (const [release, vm] of idle) {
    const row = rows.find((/** @type {any} */ it) => it.pid === vm.pid);
    assert.ok(row, `no row for OTP ${release}`);
    assert.equal(row.otp, release);
    assert.equal(row.flavor, "jit");
    assert.equal(row.attachable, true);
    assert.equal(row.reason, null);
    assert.equal(row.uid, 0);
    assert.equal(row.user, "root");
    assert.equal(row.workingDirectory, readlinkSync(`/proc/${vm.pid}/cwd`));
    assert.equal(row.erts.split(".")[0], String(Number(release) - 12), `ERTS ${row.erts} of OTP ${release}`);
    assert.ok(row.schedulers >= 1);
  }
  await until("the load of a VM that works", async () =>
    (await helperJson(["list"])).some((/** @type {any} */ it) => it.pid === busy.pid && it.cpuPct > 0),
  );
  measured(t, "list", tookMs);
  const text = await runHelper(["list"]);
  assert.equal(text.code, 0);
  assert.match(text.stdout, new RegExp(`^ *${busy.pid} .* yes `, "m"));
});

test("list shows VMs that another user cannot attach to, with the reason and their facts", async (t) => {
  const vm = idleVm();
  const own = await vmFor(t, "gt_idle", { uid: NOBODY });
  const run = await asNobody(t, ["list", "--json"]);
  assert.equal(run.code, 0, run.stderr);
  const rows = JSON.parse(run.stdout);
  const row = rows.find((/** @type {any} */ it) => it.pid === vm.pid);
  assert.equal(row.attachable, false);
  assert.match(row.reason, /may not be read.*sudo/);
  assert.equal(row.otp, "25");
  assert.match(row.erts, /^13\./);
  const ownRow = rows.find((/** @type {any} */ it) => it.pid === own.pid);
  assert.equal(row.workingDirectory, undefined, "the kernel shows it to root alone");
  assert.equal(ownRow.uid, NOBODY);
  assert.equal(ownRow.user, "nobody");
  assert.equal(ownRow.workingDirectory, "/");
  assert.equal(ownRow.attachable, true, ownRow.reason);
});

test("doctor: the machine, and a VM of each release", async () => {
  const { rows } = await helperJson(["doctor"]);
  for (const check of [
    "sampling",
    "perf_event_paranoid",
    "Yama ptrace_scope",
    "locked memory",
    "event",
    "seccomp",
    "real-time priority",
    "kernel symbols",
    "open files",
    "kernel lockdown",
    "user namespace",
    "SELinux",
    "AppArmor",
    "unprivileged_bpf_disabled",
  ]) {
    assert.ok(rowOf(rows, check), check);
  }
  assert.equal(rowOf(rows, "sampling").status, "ok", "root may sample");
  for (const [release, vm] of idle) {
    const { rows } = await helperJson(["doctor", vm.pid]);
    for (const check of [
      "attach",
      "release",
      "layout",
      "known modules",
      "atoms",
      "BIFs",
      "schedulers",
      "sampling this VM",
    ]) {
      assert.equal(rowOf(rows, check)?.status, "ok", `${check} on OTP ${release}`);
    }
    assert.ok(Number(/^(\d+) decoded/.exec(rowOf(rows, "atoms").found)?.[1]) >= 1000);
  }
});

test("doctor as another user: exit 4, each failing row names a command", async (t) => {
  const vm = idleVm();
  const run = await asNobody(t, ["doctor", vm.pid, "--json"]);
  assertRefused(run, 4);
  const { rows } = JSON.parse(run.stdout);
  assert.equal(rowOf(rows, "attach").status, "fail");
  for (const row of rows.filter((/** @type {any} */ it) => it.status !== "ok")) {
    assert.match(row.fix ?? "", /^(sudo|docker|extrospect|boot) /, row.check);
  }
  const text = await asNobody(t, ["doctor", vm.pid]);
  assert.match(text.stdout, /^FAIL +attach .*\n +needed: .*\n +fix: sudo \S+ install$/m);
});

test("a refusal without rights names the obstacle, as doctor does", async (t) => {
  const vm = idleVm();
  const file = join(temporaryFolder(t), "none.pb.gz");
  const record = ["record", vm.pid, "-d", 1, "-o", file];
  const inNamespace = await runHelper(record, { wrapper: ["unshare", "--user", "--map-root-user"] });
  assertRefused(inNamespace, 4);
  assert.match(inNamespace.stderr, /run it outside the user namespace/);
  const inSandbox = await asNobody(t, record, ["--no-new-privs"]);
  assertRefused(inSandbox, 4);
  assert.match(inSandbox.stderr, /started with no_new_privs/);
});

test("doctor of something that is no VM: exit 3", async () => {
  const run = await runHelper(["doctor", process.pid, "--json"]);
  assertRefused(run, 3);
  assert.equal(rowOf(JSON.parse(run.stdout).rows, "attach").status, "fail");
});

test("pstack of a busy VM shows its functions, with lines", async (t) => {
  const vm = await vmFor(t, "gt_erlang", { args: NOW_AND_THEN.args });
  const look = async () => (await helperJson(["pstack", vm.pid])).threads;
  const inErlang = (/** @type {any} */ it) =>
    it.frames.some((/** @type {any} */ frame) => frame.function.startsWith("gt_erlang:"));
  const begun = performance.now();
  await look();
  measured(t, "pstack", performance.now() - begun);
  // One look may find every scheduler between two processes.
  const threads = await until("a scheduler that runs Erlang code", async () => {
    const threads = await look();
    return threads.some(inErlang) && threads;
  });
  assert.ok(threads.length >= 1);
  assert.deepEqual(
    threads.map((/** @type {any} */ it) => it.scheduler),
    threads.map((/** @type {any} */ _, /** @type {number} */ index) => ({ type: "normal", number: index + 1 })),
  );
  for (const thread of threads.filter(inErlang)) {
    assert.equal(thread.idle, false);
    assert.match(thread.erlangPid, /^<0\.\d+\.\d+>$/);
    const frame = thread.frames.find((/** @type {any} */ it) => it.function.startsWith("gt_erlang:"));
    assert.match(frame.file, /gt_erlang\.erl$/);
    assert.ok(frame.line > 0);
  }
  const text = await runHelper(["pstack", vm.pid]);
  assert.match(text.stdout, /^scheduler 1 \(tid \d+\)/m);
});

test("pstack of an idle VM calls its schedulers idle; --all shows the others", async () => {
  const vm = idleVm();
  const some = await helperJson(["pstack", vm.pid]);
  assert.ok(some.threads.some((/** @type {any} */ it) => it.idle && it.frames.length === 0));
  const all = await helperJson(["pstack", vm.pid, "--all"]);
  const types = new Set(all.threads.map((/** @type {any} */ it) => it.scheduler?.type));
  assert.deepEqual([...types], ["normal", "dirty_cpu", "dirty_io", undefined]);
  assert.match((await runHelper(["pstack", vm.pid])).stdout, /^scheduler \d+ \(tid \d+\): idle$/m);
});

test("pstack of something that is no VM: exit 3", async () => {
  assertRefused(await runHelper(["pstack", process.pid]), 3);
});

test("the helper needs no C library of its host", async (t) => {
  const empty = openFolder("empty");
  t.after(() => execFileSync("rm", ["-rf", empty]));
  execFileSync("cp", [HELPER, `${empty}/extrospect`]);
  assert.match(execFileSync("chroot", [empty, "/extrospect", "--version"], { encoding: "utf8" }), /^extrospect \d/);
});

test("every command has help with an example", async () => {
  for (const command of [
    "list",
    "doctor",
    "events",
    "record",
    "top",
    "blame",
    "pstack",
    "import",
    "export",
    "push",
    "serve",
    "stat",
  ]) {
    const run = await runHelper([command, "--help"]);
    assert.equal(run.code, 0);
    assert.match(run.stdout, new RegExp(`Examples?: extrospect ${command}`), command);
  }
});
