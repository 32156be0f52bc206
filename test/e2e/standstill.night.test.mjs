// A VM of which nothing runs, since it is stopped or frozen: each command reports that and the way to resume it, and a
// VM that continues is sampled.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { removeLeftGroups } from "../left-groups.mjs";
import { readUnfinishedProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { hold, letGo } from "../vms/held.mjs";
import { runErl } from "../vms/vm.mjs";
import { helperJson, runHelper, temporaryFolder } from "./helper.mjs";

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

/** The trees of control groups with a freezer: their places, the file that freezes, what freezes and thaws, and a line when it is frozen. */
const FREEZERS = {
  version2: {
    trees: ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"],
    file: "cgroup.freeze",
    freeze: "1",
    thaw: "0",
    state: "cgroup.events",
    frozen: /^frozen 1$/m,
  },
  version1: {
    trees: ["/sys/fs/cgroup/freezer"],
    file: "freezer.state",
    freeze: "FROZEN",
    thaw: "THAWED",
    state: "freezer.state",
    frozen: /^FROZEN$/m,
  },
};

/**
 * The group that is frozen is the one above that of the VM.
 * @param {import("node:test").TestContext} t @param {number} pid @param {typeof FREEZERS["version1"]} freezer
 * @returns {Way | undefined} undefined where this machine has no such groups, or none that may be made
 */
function byFreezer(t, pid, { trees, file, freeze, thaw, state, frozen }) {
  const tree = trees.find((folder) => existsSync(join(folder, "cgroup.procs")));
  if (tree === undefined || process.getuid?.() !== 0) return undefined;
  removeLeftGroups(tree);
  const outer = join(tree, `extrospect test ${process.pid}`);
  const inner = join(outer, "vm");
  try {
    mkdirSync(inner, { recursive: true });
  } catch {
    return undefined;
  }
  const isThere = existsSync(join(outer, file));
  t.after(async () => {
    if (isThere) writeFileSync(join(outer, file), thaw);
    await until("the VM has ended and its groups can be removed", () => {
      try {
        for (const folder of [inner, outer]) if (existsSync(folder)) rmdirSync(folder);
        return true;
      } catch {
        return undefined;
      }
    });
  });
  if (!isThere) return undefined;
  return {
    code: "vmFrozen",
    reason: "frozen",
    halt: () => {
      writeFileSync(join(inner, "cgroup.procs"), String(pid));
      writeFileSync(join(outer, file), freeze);
    },
    isStill: () => frozen.test(readFileSync(join(inner, state), "utf8")),
    command: `echo ${thaw} | sudo tee '${join(outer, file)}'`,
  };
}

/** As a user would, but without sudo, which this machine may not have. @param {string} command */
function resume(command) {
  assert.equal(spawnSync("sh", ["-c", command.replace("sudo ", "")]).status, 0, command);
  // A disturbance of the machine may stop it again from now on.
  const [, pid] = /^kill -CONT (\d+)$/.exec(command) ?? [];
  if (pid !== undefined) letGo(Number(pid));
}

test("a VM that is stopped by a signal, or frozen by either freezer", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_erlang" });
  t.after(() => vm.kill());
  const ways = {
    signal: bySignal(vm.pid),
    "freezer of version 2": byFreezer(t, vm.pid, FREEZERS.version2),
    "freezer of version 1": byFreezer(t, vm.pid, FREEZERS.version1),
  };
  for (const [name, way] of Object.entries(ways))
    await t.test(name, async (t) => {
      if (way === undefined) return t.skip("this machine has no such control groups, or they may not be made");
      const { command, reason } = way;
      t.after(() => resume(command));
      way.halt();
      await until("nothing of it runs", way.isStill);
      await saysSo(vm.pid, way);
      const file = join(temporaryFolder(t), "capture.pb.gz");
      const run = await runHelper(["record", vm.pid, "-d", 2, "-o", file]);
      assert.equal(run.code, 0, run.stderr);
      assert.ok(run.stderr.includes(command), run.stderr);
      assert.match(run.stdout, /quality: 0 samples .*; the VM did not run for at least [12]\.\d s \(/);
      const { quality } = await helperJson(["top", file]);
      assert.equal(quality.gaps.standstill_reason, reason);
      assert.ok(quality.gaps.standstill_ms > 1000, JSON.stringify(quality.gaps));
      assert.ok(way.isStill(), "it was left alone");
      await goesOn(vm.pid, join(temporaryFolder(t), "goes-on.pb.gz"), way);
      await until(
        "the list has it as one that runs",
        async () => rowIn(await helperJson(["list"]), vm.pid).standstill === undefined,
      );
      await vm.report();
    });
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
 * A capture that begins during the standstill has samples as soon as there are some.
 * @param {number} pid @param {string} file @param {Way} way
 */
async function goesOn(pid, file, { command, reason }) {
  const samples = () => readUnfinishedProfile(file).samples.length;
  const run = await runHelper(["record", pid, "-d", 0, "-F", 499, "-o", file, "--json"], {
    onStart: (child) =>
      void (async () => {
        await until("it records", () => samples() === 0);
        resume(command);
        await until("samples", () => samples() > 50);
      })().finally(() => child.kill("SIGINT")),
  });
  assert.equal(run.code, 0, run.stderr);
  const { quality } = JSON.parse(run.stdout);
  assert.ok(quality.samples > 50);
  assert.equal(quality.gaps.standstill_reason, reason);
}
