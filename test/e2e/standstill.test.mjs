// A VM of which nothing runs, since it is stopped or frozen: each command reports that and the way to resume it, and a
// VM that continues is sampled.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readUnfinishedProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { hold, letGo } from "../vms/held.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { helperJson, runHelper, temporaryFolder, untilIn } from "./helper.mjs";

/**
 * How a VM is brought to a standstill, and how it goes on.
 * @typedef {object} Way
 * @property {string} code of the text
 * @property {string} reason in the quality of a capture
 * @property {() => void} halt
 * @property {() => boolean} isStill
 * @property {string} command that resumes it
 */

/** @param {number} pid @returns {Way} */
function bySignal(pid) {
  return {
    code: "vmStopped",
    reason: "stopped",
    halt: () => hold(pid), // by the test; the helper never does
    isStill: () => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8")),
    command: `kill -CONT ${pid}`,
  };
}

/** As a user would, but without sudo, which this machine may not have. @param {string} command */
function resume(command) {
  assert.equal(spawnSync("sh", ["-c", command.replace("sudo ", "")]).status, 0, command);
  // A disturbance of the machine may stop it again from now on.
  const [, pid] = /^kill -CONT (\d+)$/.exec(command) ?? [];
  if (pid !== undefined) letGo(Number(pid));
}

test("the schedulers of a stopped VM are where it was stopped", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_erlang", emulatorFlags: ["+S", "1"] });
  t.after(() => vm.kill());
  const { command, halt, isStill } = bySignal(vm.pid);
  /** @type {any} */
  let busy;
  // Between two slices of its work it is in code of the VM, which is as well but shows less.
  await until("it is stopped in its work", async () => {
    halt();
    await until("nothing of it runs", isStill);
    const { threads, standstill } = await helperJson(["pstack", vm.pid]);
    assert.equal(standstill.command, command);
    busy = threads.find((/** @type {any} */ thread) => thread.frames[0]?.function.startsWith("gt_erlang:"));
    if (busy === undefined) resume(command);
    return busy;
  });
  assert.deepEqual([busy.scheduler, busy.idle, busy.class], [{ type: "normal", number: 1 }, false, "erlang"]);
  // The same place at each look, with all callers: the function that the process began with has called its last one.
  const names = busy.frames.map((/** @type {any} */ frame) => frame.function);
  assert.equal(names.at(-1), "gt_slices:turns/4", names.join(" < "));
  assert.ok(names.includes("gt_slices:one_turn/4"), names.join(" < "));
  assert.notEqual(busy.trust, "unproven");
  const { threads } = await helperJson(["pstack", vm.pid]);
  assert.deepEqual(
    threads.find((/** @type {any} */ thread) => thread.threadId === busy.threadId),
    busy,
  );
  const { stdout } = await runHelper(["pstack", vm.pid]);
  assert.ok(stdout.includes(`scheduler 1 (tid ${busy.threadId}), process ${busy.erlangPid}`), stdout);
  assert.doesNotMatch(stdout, /idle/);
  resume(command);
});

test("a VM that is stopped by a signal", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), ...NOW_AND_THEN });
  t.after(() => vm.kill());
  const way = bySignal(vm.pid);
  const { command, reason } = way;
  t.after(() => resume(command));
  way.halt();
  await until("nothing of it runs", way.isStill);
  await saysSo(vm.pid, way);
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const run = await runHelper(["record", vm.pid, "-d", 2, "-o", file]);
  assert.equal(run.code, 0, run.stderr);
  assert.ok(run.stderr.includes(command), run.stderr);
  assert.match(run.stdout, /quality: 0 samples .*; the VM did not run for (?:a time|at least \d+\.\d s) \(/);
  const { quality } = await helperJson(["top", file]);
  assert.equal(quality.gaps.standstill_reason, reason);
  assert.ok(quality.gaps.standstill_ms > 0, JSON.stringify(quality.gaps));
  await inTheBackground(vm.pid, temporaryFolder(t), way);
  assert.ok(way.isStill(), "it was left alone");
  await goesOn(vm.pid, join(temporaryFolder(t), "goes-on.pb.gz"), way);
  await until(
    "the list has it as one that runs",
    async () => rowIn(await helperJson(["list"]), vm.pid).standstill === undefined,
  );
  await vm.report();
});

/** @param {any[]} rows @param {number} pid */
const rowIn = (rows, pid) => rows.find((row) => row.pid === pid);

/** @param {number} pid @param {Way} way */
async function saysSo(pid, { code, command }) {
  /** @param {any} standstill */
  const assertSaid = (standstill) => {
    assert.equal(standstill.messages.what.code, code);
    assert.equal(standstill.command, command);
    assert.ok(standstill.fix.includes(command));
  };
  const row = rowIn(await helperJson(["list"]), pid);
  assert.equal(row.attachable, true);
  assertSaid(row.standstill);
  assert.match(
    (await runHelper(["list"])).stdout,
    new RegExp(`^${pid}: process ${pid} is halted: .*; resume it: `, "m"),
  );
  const { rows } = await helperJson(["doctor", pid]);
  const warning = rows.find((/** @type {any} */ each) => each.check === "state of this VM");
  assert.deepEqual([warning.status, warning.command, warning.messages.found.code], ["warn", command, code]);
  const node = await helperJson(["node", pid]);
  assertSaid(node.standstill);
  assert.deepEqual(node.schedulers, [], "nothing is busy");
  assert.match(node.unknown.schedulers, /^process \d+ is halted/);
  const { processes, standstill } = await helperJson(["ps", pid]);
  assertSaid(standstill);
  const inC = processes.filter((/** @type {any} */ one) => one.in_c !== null);
  assert.deepEqual(inC, [], "what a frozen thread has on its scheduler does not sleep in C");
  const waits = await helperJson(["waits", pid, "-d", 1]);
  assertSaid(waits.standstill);
  assert.deepEqual(waits.waits_for.in_c, []);
  const pstack = await runHelper(["pstack", pid]);
  const stacks = await helperJson(["pstack", pid]);
  assertSaid(stacks.standstill);
  assert.ok(
    stacks.threads.length > 0 && stacks.threads.every((/** @type {any} */ thread) => !thread.idle),
    "it is unknown whether it would sleep",
  );
  assert.doesNotMatch(pstack.stdout, /: idle$/m);
  assert.match(pstack.stdout, /^process \d+ is halted: /m);
  assert.ok(!pstack.stdout.includes("sleeps in C"), pstack.stdout);
}

/**
 * One in the background has the reason why it has no samples, too.
 * @param {number} pid @param {string} folder @param {Way} way
 */
async function inTheBackground(pid, folder, { reason }) {
  const options = { wrapper: ["env", `XDG_STATE_HOME=${folder}`] };
  const begun = await runHelper(["record", pid, "--detach", "still"], options);
  assert.equal(begun.code, 0, begun.stderr);
  const ended = await runHelper(["detached", "stop", "still"], options);
  assert.equal(ended.code, 0, ended.stderr);
  assert.match(ended.stdout, /^still: the VM did not run for (?:a time|at least \d+\.\d s) \(/m);
  const [row] = await helperJson(["detached"], options);
  assert.deepEqual([row.facts.samples, row.facts.halted.reason], [0, reason]);
}

/**
 * A capture that begins during the standstill has samples as soon as there are some.
 * @param {number} pid @param {string} file @param {Way} way
 */
async function goesOn(pid, file, { command, reason }) {
  const samples = () => readUnfinishedProfile(file).samples.length;
  const run = await runHelper(["record", pid, "-d", 0, "-F", 499, "-o", file, "--json"], {
    onStart: (child) =>
      void (async () => {
        await untilIn(child, "it records", () => samples() === 0);
        resume(command);
        await untilIn(child, "samples", () => samples() > 50);
        child.kill("SIGINT");
      })(),
  });
  assert.equal(run.code, 0, run.stderr);
  const { quality } = JSON.parse(run.stdout);
  assert.ok(quality.samples > 50);
  assert.equal(quality.gaps.standstill_reason, reason);
}
