// CPU and waits of one time: two captures at once of gt_spent, and the table that the editor makes of them.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { bundled } from "../bundled.mjs";
import { helperJson, runHelper, temporaryFolder } from "../e2e/helper.mjs";
import { until, untilAnswered } from "../until.mjs";

export const WAITERS = 50;
/** More than there are schedulers. */
export const SPINNERS = 6;

export const spent = await bundled(
  "extension/src/panels/time-spent/spent-time.ts",
  "extension/src/panels/time-spent/spent-csv.ts",
  "extension/src/capture/capture-model.ts",
);

/** Both captures, taken at once. @param {import("node:test").TestContext} t @param {number} pid @param {number} watchedSeconds */
async function taken(t, pid, watchedSeconds) {
  const folder = temporaryFolder(t);
  const [cpuFile, waitsFile] = [join(folder, "cpu.pb.gz"), join(folder, "waits.pb.gz")];
  // Samples last longer on both sides: there are some before the first look and after the last one.
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let child;
  const recording = runHelper(["record", pid, "-d", "600", "-F", "499", "-o", cpuFile], {
    onStart: (started) => (child = started),
  });
  const bytes = () => (existsSync(cpuFile) ? statSync(cpuFile).size : 0);
  await until("the first samples", () => bytes() > 0);
  const waits = await helperJson(["waits", pid, "-d", watchedSeconds, "-o", waitsFile]);
  const before = bytes();
  await until("samples after the last look", () => bytes() > before);
  child?.kill("SIGINT");
  const { code, stderr } = await recording;
  assert.equal(code, 0, stderr);
  return { cpuFile, waitsFile, waits };
}

/** @param {string} cpuFile @param {string} waitsFile */
export async function opened(cpuFile, waitsFile) {
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

/** Until looks and samples found the one that does both at both: on a busy machine it takes longer. @param {import("node:test").TestContext} t @param {number} pid @param {number} watchedSeconds */
export async function untilSeen(t, pid, watchedSeconds) {
  return untilAnswered("seen at both", async () => {
    const { cpuFile, waitsFile, waits } = await taken(t, pid, watchedSeconds);
    const all = await opened(cpuFile, waitsFile);
    assert.ok(all.time, String(all.shared));
    const both = all.time.processes().rows.find((/** @type {any} */ { name }) => name === "spent_both");
    if (both?.cpu > 0 && both.waiting > 0) return { ...all, waits, time: all.time };
    t.diagnostic(`taken again: ${JSON.stringify(both)}`);
    return undefined;
  });
}

/** @param {any[]} rows @param {string} name */
function named(rows, name) {
  const found = rows.filter((row) => row.name === name);
  assert.equal(found.length, 1, `${name} among ${JSON.stringify(rows)}`);
  return found[0];
}

/**
 * Who runs, who waits for a scheduler and who for messages is told apart, and sums are processes × seconds. No load
 * moves any of this.
 * @param {Awaited<ReturnType<typeof untilSeen>>} seen
 */
export function assertToldApart({ waits, watched, shared, time }) {
  assert.ok(
    shared.sampledSeconds > 0 && shared.sampledSeconds <= watched.lookedSeconds + 1e-6,
    `${shared.sampledSeconds} of ${watched.lookedSeconds} s`,
  );
  const { rows, all } = time.processes();
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
  const waiter = named(rows, "spent_waiter");
  assert.deepEqual([waiter.cpu, waiter.ready, waiter.running], [0, 0, 0], "they never run");
  assert.ok(Math.abs(waiter.waiting - WAITERS * watched.lookedSeconds) < 1e-6, JSON.stringify(waiter));
  // Started by proc_lib and without a name, as so much is: their samples contain `proc_lib:init_p/5`, and yet they
  // are told apart.
  const spinner = named(rows, "gt_spent:spinner/0");
  assert.equal(spinner.waiting, 0, "they always want to run");
  assert.ok(Math.abs(spinner.present - SPINNERS * watched.lookedSeconds) < 1e-6, JSON.stringify(spinner));
  assert.ok(spinner.ready > 0 && spinner.cpu > 0, JSON.stringify(spinner));
  const both = named(rows, "spent_both");
  assert.ok(both.waiting > 0 && both.cpu > 0, JSON.stringify(both));

  const functions = time.functions(null);
  const fn = (/** @type {string} */ name) =>
    functions.find((/** @type {any} */ row) => row.name === name) ??
    assert.fail(`${name} among ${JSON.stringify(functions)}`);
  const [spin, wait, pause] = [fn("gt_spent:spin/1"), fn("gt_spent:wait/0"), fn("gt_spent:pause/0")];
  assert.ok(spin.cpuSelf > 0 && spin.readySelf > 0 && spin.waitingTotal === 0, JSON.stringify(spin));
  assert.ok(wait.cpuTotal === 0 && wait.readyTotal === 0 && wait.waitingSelf > pause.waitingSelf, JSON.stringify(wait));
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

  return { rows, all, spinner };
}
