// CPU and waits in one table: two captures of one time on VMs of which it is known how their processes spend it.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { helperJson, runHelper, temporaryFolder } from "../e2e/helper.mjs";
import { releasesOf } from "../nightly.mjs";
import { until } from "../until.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { bundled } from "../bundled.mjs";

const WAITERS = 50;
/** More than there are schedulers. */
const SPINNERS = 6;
const WATCHED_S = 3;

describe("CPU and waits together", () => {
  /** @type {any} */
  let spent;
  before(async () => {
    spent = await bundled(
      "extension/src/panels/time-spent/spent-time.ts",
      "extension/src/panels/time-spent/spent-csv.ts",
      "extension/src/capture/capture-model.ts",
    );
  });

  /** Both captures, taken at once. @param {import("node:test").TestContext} t @param {number} pid */
  async function taken(t, pid) {
    const folder = temporaryFolder(t);
    const [cpuFile, waitsFile] = [join(folder, "cpu.pb.gz"), join(folder, "waits.pb.gz")];
    // Samples last longer on both sides: there are some before the first look and after the last one.
    /** @type {import("node:child_process").ChildProcess | undefined} */
    let child;
    const recording = runHelper(["record", pid, "-d", "600", "-F", "499", "-o", cpuFile], {
      onStart: (started) => (child = started),
      timeoutMs: 600_000,
    });
    const bytes = () => (existsSync(cpuFile) ? statSync(cpuFile).size : 0);
    await until("the first samples", () => bytes() > 0);
    const waits = await helperJson(["waits", pid, "-d", WATCHED_S, "-o", waitsFile]);
    const before = bytes();
    await until("samples after the last look", () => bytes() > before);
    child?.kill("SIGINT");
    const { code, stderr } = await recording;
    assert.equal(code, 0, stderr);
    return { cpuFile, waitsFile, waits };
  }

  /** @param {string} cpuFile @param {string} waitsFile */
  async function opened(cpuFile, waitsFile) {
    const waits = spent.captureOf(await spent.readCapture(readFileSync(waitsFile)));
    const watched = waits.facts.waits;
    const cpu = spent.captureOf(await spent.readCapture(readFileSync(cpuFile), spent.processNames(watched)));
    const shared = spent.sharedTime(cpu.facts, waits.facts);
    return {
      cpu,
      waits,
      watched,
      shared,
      time: typeof shared === "string" ? null : new spent.SpentTime(cpu, waits, watched, shared),
    };
  }

  /** Until looks and samples found the one that does both at both: on a busy machine it takes longer. @param {import("node:test").TestContext} t @param {number} pid */
  async function untilSeen(t, pid) {
    for (let tries = 0; ; tries++) {
      const { cpuFile, waitsFile, waits } = await taken(t, pid);
      const all = await opened(cpuFile, waitsFile);
      assert.ok(all.time, String(all.shared));
      const both = all.time.processes().rows.find((/** @type {any} */ { name }) => name === "spent_both");
      assert.ok(tries < 20, `never seen at both: ${JSON.stringify(both)}`);
      if (both?.cpu > 0 && both.waiting > 0) return { ...all, waits, time: all.time };
    }
  }

  for (const release of releasesOf(ALL_OTP_RELEASES, "25")) {
    test(`OTP ${release}: who runs, who waits for a scheduler and who for messages is told apart, and sums are processes × seconds`, async (t) => {
      const vm = await runErl({
        otp: await prepareOtp(release),
        module: "gt_spent",
        args: [WAITERS, SPINNERS],
        emulatorFlags: ["+S", "2:2"],
      });
      t.after(() => vm.kill());
      const { waits, watched, shared, time } = await untilSeen(t, vm.pid);
      assert.ok(
        shared.sampledSeconds > 0 && shared.sampledSeconds <= watched.lookedSeconds + 1e-6,
        `${shared.sampledSeconds} of ${watched.lookedSeconds} s`,
      );
      const { rows, all, unseenCpu } = time.processes();
      // All of the time of all processes: their number stays the same, except for one or two of the VM's own.
      assert.ok(
        Math.abs(all.present - waits.processes * watched.lookedSeconds) <= 2 * watched.lookedSeconds,
        `${all.present} s of ${waits.processes} processes in ${watched.lookedSeconds} s`,
      );
      const sums = rows.reduce(
        (/** @type {number} */ sum, /** @type {any} */ row) =>
          sum + (row.waiting ?? 0) + (row.ready ?? 0) + (row.running ?? 0),
        0,
      );
      // Except for processes that were just ending.
      assert.ok(sums <= all.present + 1e-6 && sums > all.present - watched.lookedSeconds, `${sums} and ${all.present}`);
      const named = (/** @type {string} */ name) => {
        const found = rows.filter((/** @type {any} */ row) => row.name === name);
        assert.equal(found.length, 1, `${name} among ${JSON.stringify(rows)}`);
        return found[0];
      };
      const waiter = named("spent_waiter");
      assert.deepEqual([waiter.cpu, waiter.ready, waiter.running], [0, 0, 0], "they never run");
      assert.ok(Math.abs(waiter.waiting - WAITERS * watched.lookedSeconds) < 1e-6, JSON.stringify(waiter));
      // Started by proc_lib and without a name, as so much is: their samples contain `proc_lib:init_p/5`, and yet they
      // are told apart.
      const spinner = named("gt_spent:spinner/0");
      assert.equal(spinner.waiting, 0, "they always want to run");
      assert.ok(Math.abs(spinner.present - SPINNERS * watched.lookedSeconds) < 1e-6, JSON.stringify(spinner));
      // At one moment no more than two can run; while one is put away and the next one is taken, one of each is seen for a moment.
      assert.ok(spinner.running > 0 && spinner.running <= 3 * watched.lookedSeconds, JSON.stringify(spinner));
      assert.ok(spinner.ready >= (SPINNERS - 3) * watched.lookedSeconds, "there are two schedulers for all of them");
      const both = named("spent_both");
      assert.ok(both.waiting > 0 && both.cpu > 0, JSON.stringify(both));
      assert.ok(spinner.cpu > 0, JSON.stringify(spinner));
      // Four cannot be on two processors for longer than the time, were the machine's clock and ours ever so different: a tenth is left for the edges.
      assert.ok(
        all.cpu <= 2 * shared.sampledSeconds * 1.1,
        `${all.cpu} s on two schedulers in ${shared.sampledSeconds} s`,
      );
      assert.equal(unseenCpu, 0, "all that ran was seen by a look");

      const functions = time.functions(null);
      const fn = (/** @type {string} */ name) =>
        functions.find((/** @type {any} */ row) => row.name === name) ??
        assert.fail(`${name} among ${JSON.stringify(functions)}`);
      const [spin, wait, pause] = [fn("gt_spent:spin/1"), fn("gt_spent:wait/0"), fn("gt_spent:pause/0")];
      assert.ok(spin.cpuSelf > 0 && spin.readySelf > 0 && spin.waitingTotal === 0, JSON.stringify(spin));
      assert.ok(
        wait.cpuTotal === 0 && wait.readyTotal === 0 && wait.waitingSelf > pause.waitingSelf,
        JSON.stringify(wait),
      );
      assert.ok(pause.waitingSelf > 0, JSON.stringify(pause));
      // Milliseconds of each look are whole ones in the file.
      assert.ok(
        wait.waitingSelf <= waiter.waiting && wait.waitingSelf > waiter.waiting - (WAITERS * watched.looks) / 1000,
        `${wait.waitingSelf} and ${waiter.waiting}`,
      );

      const ofBoth = time.functions("spent_both");
      assert.ok(
        !ofBoth.some((/** @type {any} */ { name }) => name === "gt_spent:spin/1" || name === "gt_spent:wait/0"),
        "only what these processes do",
      );
      const detail = time.detail("gt_spent:both/0", "spent_both");
      assert.ok(
        detail.waits.some((/** @type {any} */ { name }) => name === "gt_spent:pause/0"),
        JSON.stringify(detail),
      );
      assert.ok(
        detail.calls.some((/** @type {any} */ { name }) => name === "gt_spent:work/1"),
        JSON.stringify(detail),
      );
      assert.match(spent.processesAsCsv(rows), /^name,cpu_s,waiting_s,ready_s,running_s,present_s\r\n/);
    });
  }

  test("captures of two VMs, and of two times, are not put together", async (t) => {
    const otp = await prepareOtp("27");
    const [one, other] = [
      await runErl({ otp, module: "gt_spent", args: [1, 1] }),
      await runErl({ otp, module: "gt_spent", args: [1, 1] }),
    ];
    t.after(() => [one, other].forEach((vm) => vm.kill()));
    const folder = temporaryFolder(t);
    const files = {
      cpu: join(folder, "cpu.pb.gz"),
      waits: join(folder, "waits.pb.gz"),
      later: join(folder, "later.pb.gz"),
    };
    assert.equal((await runHelper(["record", one.pid, "-d", "1", "-o", files.cpu])).code, 0);
    await helperJson(["waits", other.pid, "-d", "1", "-o", files.waits]);
    await helperJson(["waits", one.pid, "-d", "1", "-o", files.later]);
    assert.equal((await opened(files.cpu, files.waits)).shared, "otherVm");
    assert.equal((await opened(files.cpu, files.later)).shared, "otherTime");
    const waits = spent.captureOf(await spent.readCapture(readFileSync(files.waits)));
    const cpu = spent.captureOf(await spent.readCapture(readFileSync(files.cpu)));
    assert.equal(spent.sharedTime(waits.facts, waits.facts), "noCpu");
    assert.equal(spent.sharedTime(cpu.facts, cpu.facts), "noWaits");
  });
});
