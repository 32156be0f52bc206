// Calls that wait, and calls that sleep in C code, compared with the VM's own report of gt_calls and gt_asleep.
import assert from "node:assert/strict";
import { helperJson, runHelper } from "../e2e/helper.mjs";
import { until } from "../until.mjs";

/** @typedef {import("../vms/vm.mjs").RunningVm} RunningVm */

/**
 * Each that waits in a call waits for the one that it called, and those that sleep in C code are found there.
 * @param {RunningVm} vm @param {any} reported   by the VM @param {{seconds: number, least: number}} watch   `least`: the seconds in C code of each, at least
 */
export async function assertCalls(vm, { cases, plain, had, unfound, in_c: inC }, { seconds, least }) {
  const { waits_for: graph } = await helperJson(["waits", vm.pid, "-d", seconds]);
  /** @type {Map<string, string>} */
  const told = new Map();
  for (const { processes, pids, call, target } of graph.edges) {
    assert.equal(pids.length, processes, "few enough to be shown one by one");
    for (const pid of pids) told.set(pid, `${call} ${target.pid}`);
  }
  assert.deepEqual(
    cases.map((/** @type {string[]} */ [call, from]) => `${call} ${from} ${told.get(String(from)) ?? "nobody"}`),
    cases.map((/** @type {string[]} */ [call, from, to]) => `${call} ${from} ${call} ${to}`),
  );
  assert.deepEqual(
    plain.filter((/** @type {string} */ pid) => told.has(pid)),
    [],
  );
  assert.equal(graph.unproven, 0);
  // Those whose request an idle process has, which may have done with it.
  const maybe = graph.edges.flatMap((/** @type {any} */ { has_or_had: hasOrHad, pids }) => (hasOrHad ? pids : []));
  assert.deepEqual(new Set(maybe), new Set(had));
  // Those for an idle one of whose request it is not known who works on it; some of OTP's own servers are such.
  const forIdle = graph.ends.reduce(
    (/** @type {number} */ sum, /** @type {any} */ { idle, direct }) => sum + (idle ? direct : 0),
    0,
  );
  assert.equal(graph.not_searched, forIdle - had.length);
  assert.ok(graph.not_searched >= unfound);
  // Besides, the one that opens a file for the file server.
  const ofC = new Map(graph.in_c.map((/** @type {any} */ it) => [it.pid, it]));
  for (const [pid, call] of inC) {
    const it = ofC.get(pid);
    assert.deepEqual([it?.function, it?.scheduler.type], [call, "dirty_io"]);
    assert.ok(it.seconds > least, `${it.seconds} s of the ${seconds} that were watched`);
    assert.ok(
      it.stack.some((/** @type {string} */ frame) => frame === "prim_file:open/2" || frame.startsWith("raw_file_io")),
      it.stack.join(" < "),
    );
  }
  assert.equal(graph.in_c.length, inC.length + 1);
  const { processes: listed } = await helperJson(["ps", vm.pid]);
  const listedInC = listed.filter((/** @type {any} */ it) => it.in_c !== null);
  assert.equal(listedInC.length, inC.length + 1, JSON.stringify(listedInC));
  for (const [pid, call] of inC) {
    const { in_c: place } = listedInC.find((/** @type {any} */ it) => it.pid === pid);
    assert.deepEqual([place.function, place.thread_id], [call, ofC.get(pid).thread_id]);
    assert.ok(place.seconds > 0 && place.stack.length > 0);
  }
  const { threads } = await helperJson(["pstack", vm.pid, "--all"]);
  for (const [pid, call] of inC) {
    const thread = threads.find((/** @type {any} */ { erlangPid }) => erlangPid === pid);
    assert.deepEqual([thread?.idle, thread?.frames[0]?.function], [false, call]);
    assert.ok(thread.sleepsInCS > 0);
  }
}

/**
 * A process in a NIF that waits is found on the scheduler that runs it.
 * @param {RunningVm} vm @param {any} reported   by the VM before it let the process go
 */
export async function assertAsleep(vm, { sleeper, late, tickers, cancels }) {
  const graph = await until("it sleeps", async () => {
    const { waits_for: found } = await helperJson(["waits", vm.pid, "-d", "1"]);
    return found.in_c.length > 0 ? found : undefined;
  });
  assert.deepEqual(
    graph.in_c.map((/** @type {any} */ it) => [it.pid, it.function, it.stack[0], it.scheduler.type]),
    [[sleeper, "gt_asleep:asleep/1", "gt_asleep:sleeper/0", "normal"]],
  );
  // Those whose time limits and timers its scheduler does not come to notice are named with it. The first of them was due
  // after the scheduler went to sleep: when it is late by so much, the time of the cancelled timer is over, too.
  const [held] = await until("time limits and timers are late", async () => {
    const { waits_for: found } = await helperJson(["waits", vm.pid, "-d", "1"]);
    const [first] = found.late;
    return first?.processes > 0 && first.timers > 0 && first.late_s > 4 ? found.late : undefined;
  });
  assert.deepEqual(
    [held.scheduler, held.cause, held.holder.pid, held.function, held.stack[0]],
    [2, "process", sleeper, "gt_asleep:asleep/1", "gt_asleep:sleeper/0"],
  );
  assert.deepEqual(
    held.pids.filter((/** @type {string} */ pid) => !late.includes(pid)),
    [],
  );
  // Those that wait for a message of their own timers have no limit.
  assert.deepEqual(
    held.pids.filter((/** @type {string} */ pid) => tickers.includes(pid)),
    [],
  );
  const receivers = held.receivers.map((/** @type {any} */ { pid }) => pid);
  assert.ok(
    receivers.some((/** @type {string} */ pid) => tickers.includes(pid)),
    receivers.join(" "),
  );
  assert.ok(held.timers >= receivers.length && !receivers.includes(cancels));
  const { stdout } = await runHelper(["waits", vm.pid, "-d", "1"]);
  assert.match(stdout, /; at least \d+ timers? of send_after or start_timer (is|are) late, too, for </);
  const { processes: listed } = await helperJson(["ps", vm.pid, "--sort", "reductions", "-n", "0"]);
  const inC = listed.flatMap((/** @type {any} */ { pid, current, in_c: place }) =>
    place === null ? [] : [[pid, current, place.function, place.stack[0]]],
  );
  assert.deepEqual(inC, [[sleeper, null, "gt_asleep:asleep/1", "gt_asleep:sleeper/0"]]);
  const { threads } = await helperJson(["pstack", vm.pid]);
  const thread = threads.find((/** @type {any} */ { threadId }) => threadId === graph.in_c[0].thread_id);
  assert.deepEqual(
    [thread.idle, thread.erlangPid, thread.frames[0].function, thread.frames[1].function],
    [false, sleeper, "gt_asleep:asleep/1", "gt_asleep:sleeper/0"],
  );
}

/**
 * A process that sleeps in a driver and a port that does so as a task: `node` and `pstack` agree that their schedulers are at
 * work.
 * @param {RunningVm} vm @param {any} reported   by the VM before it let them go
 */
export async function assertAsleepInDriver(vm, { caller }) {
  const { schedulers } = await until("both sleep", async () => {
    const node = await helperJson(["node", vm.pid]);
    return atWork(node).length === 2 ? node : undefined;
  });
  const { threads } = await helperJson(["pstack", vm.pid]);
  // Others may be awake by chance.
  const numbers = atWork({ schedulers }).map((/** @type {any} */ { number }) => number);
  const shown = threads.filter((/** @type {any} */ { scheduler }) => numbers.includes(scheduler?.number));
  assert.deepEqual(
    shown.map((/** @type {any} */ { idle }) => idle),
    [false, false],
  );
  const top = (/** @type {any} */ { erlangPid, frames: [frame] }) => [erlangPid, frame?.function];
  assert.deepEqual(
    new Set(shown.map(top)),
    new Set([
      [caller, "erlang:port_control/3"],
      [null, "[port gt_driver of gt_driver_owner]"],
    ]),
  );
}

/** Schedulers that ran something at every reading. @param {any} node */
function atWork({ schedulers }) {
  return schedulers.filter((/** @type {any} */ { busy_pct: busy }) => busy === 100);
}
