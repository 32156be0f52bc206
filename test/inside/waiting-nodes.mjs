// Nodes whose processes wait for each other in calls (gt_waits), and the assertions on the rows of `waits` for them.
import assert from "node:assert/strict";
import { helperJson, runHelper } from "../e2e/helper.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { nodeFlags, startEpmd as startOwnEpmd } from "../vms/own-epmd.mjs";
import { runErl } from "../vms/vm.mjs";
import { hold, letGo } from "../vms/held.mjs";

/** @typedef {import("../vms/vm.mjs").RunningVm} RunningVm */

export const CALLERS = 200;
const SHORT = ["-d", "1"];
/** @type {import("../vms/own-epmd.mjs").OwnEpmd | undefined} */
let epmd;

export async function startEpmd() {
  epmd = await startOwnEpmd();
}

export function stopEpmd() {
  epmd?.stop();
}

/** @param {import("node:test").TestContext} t @param {import("../vms/otp.mjs").OtpRelease} release @param {string} name @param {(string | number)[]} args */
export async function startNode(t, release, name, args) {
  const vm = await runErl({
    otp: await prepareOtp(release),
    module: "gt_waits",
    args,
    emulatorFlags: nodeFlags(name),
    env: epmd?.env ?? {},
  });
  t.after(() => vm.kill());
  return vm;
}

/** A process in a call waits for the called one, and no other process waits for one. @param {RunningVm} vm @param {string} peer   the node that it knows */
export async function assertWaiters(vm, peer) {
  const said = await vm.report();
  const { waits_for: graph } = await helperJson(["waits", vm.pid, ...SHORT]);

  /** How many wait for each, by its pid. @type {Map<string, number>} */
  const counts = new Map();
  for (const [, to] of said.edges) counts.set(to, (counts.get(to) ?? 0) + 1);
  /** @type {Map<string, string>} */
  const calls = new Map(said.edges);
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (const { processes, pids, target, call } of graph.edges) {
    const known = pids.filter((/** @type {string} */ pid) => calls.has(pid));
    if (known.length === 0) continue; // of the VM's own, which has calls, too
    assert.deepEqual(
      known.map((/** @type {string} */ pid) => calls.get(pid)),
      known.map(() => target.pid),
      call,
    );
    assert.equal(known.length, pids.length);
    seen.set(target.pid, (seen.get(target.pid) ?? 0) + processes);
  }
  assert.deepEqual([...seen].toSorted(), [...counts].toSorted());

  const told = new Set(graph.edges.flatMap((/** @type {any} */ { pids }) => pids));
  assert.deepEqual(
    said.plain.filter((/** @type {string} */ pid) => told.has(pid)),
    [],
    "a process that waits for any message waits for no process",
  );
  // Those that were suspended know of no monitor any more.
  assert.equal(graph.unproven, said.orphans.length);

  // They keep the reference of a monitor, in a function that is no known call: counted, with the process that they
  // monitor.
  const unknown = graph.unknown_calls.filter((/** @type {any} */ { pids }) => said.plain.includes(pids[0]));
  assert.deepEqual(
    unknown.map((/** @type {any} */ { processes, monitors }) => [processes, monitors?.pid]),
    [[said.plain.length, said.stuck]],
  );
  assert.equal(
    graph.in_unknown_calls,
    graph.unknown_calls.reduce((/** @type {number} */ sum, /** @type {any} */ { processes }) => sum + processes, 0),
  );
  assert.deepEqual(
    said.named.map((/** @type {string[]} */ [from]) => from).filter((/** @type {string} */ from) => told.has(from))
      .length,
    4,
  );
  const named = graph.edges.filter((/** @type {any} */ { target }) => target.pid.startsWith("{"));
  assert.deepEqual(
    named
      .flatMap((/** @type {any} */ { pids, target }) => pids.map((/** @type {string} */ pid) => [pid, target.pid]))
      .toSorted(),
    said.named.toSorted(),
  );
  for (const { target } of named) assert.deepEqual([target.name, target.node], ["shop_db", peer]);
  // Every second caller has a time limit.
  const web = graph.edges.find(
    (/** @type {any} */ { waiters, target }) => waiters === "shop_web" && target.pid === said.stuck,
  );
  assert.equal(web.limited, CALLERS / 2);
  for (const [index, cycle] of graph.cycles.entries()) {
    const isLimited = said.limited_ring.includes(cycle[0].pid);
    assert.equal(graph.cycle_limits[index], isLimited ? cycle.length : 0);
  }

  const sets = graph.cycles.map((/** @type {any[]} */ cycle) => cycle.map(({ pid }) => pid));
  assert.deepEqual(
    sets.map((/** @type {string[]} */ cycle) => cycle.toSorted()).toSorted(),
    said.rings.map((/** @type {string[]} */ ring) => ring.toSorted()).toSorted(),
  );
  for (const cycle of sets)
    for (const [index, pid] of cycle.entries())
      assert.equal(calls.get(pid), cycle[(index + 1) % cycle.length], "each waits for the next");

  const [first] = graph.ends;
  // The one that keeps the server busy calls it, too.
  assert.deepEqual(
    [first.process.pid, first.process.name, first.direct, first.all, first.status],
    [said.stuck, "shop_db", CALLERS + 2, CALLERS + 3, "waiting"],
  );
  assert.deepEqual(first.stack.slice(0, 2), ["gt_waits:stuck/0", "gt_waits:handle_call/3"]);
  const far = graph.ends.find((/** @type {any} */ end) => end.process.pid === said.far);
  assert.deepEqual(far, {
    process: { pid: said.far, name: null, node: peer },
    direct: 4,
    all: 4,
    status: null,
    stack: [],
    idle: false,
    port: null,
  });
}

/** The table shows for which process each one waits, and which wait for each other. @param {RunningVm} vm */
export async function assertTable(vm) {
  const { stuck } = await vm.report();
  const { code, stdout } = await runHelper(["waits", vm.pid, ...SHORT]);
  assert.equal(code, 0);
  assert.match(stdout, /200 +shop_web +<[\d.]+> shop_db +gen:do_call\/4/);
  assert.ok(
    stdout.includes(
      `${CALLERS + 3} processes wait for ${stuck} shop_db, which waits in gt_waits:stuck/0 < gt_waits:handle_call/3`,
    ),
    stdout,
  );
  assert.equal(stdout.match(/wait for each other, for ever: /g)?.length, 2);
  assert.equal(stdout.match(/wait for each other in a circle, each with a time limit: /g)?.length, 1);
  assert.match(stdout, /processes wait in a call that is not known:\n/);
}

/** A process that is kept from sending to a node waits for the connection to it. @param {RunningVm} far @param {RunningVm} vm @param {string} name   of the far one */
export async function assertHeld(far, vm, name) {
  const { held } = await vm.report();
  hold(far.pid);
  await until("all are suspended", async () => (await vm.report()).suspended === held.length);
  const { waits_for: graph } = await helperJson(["waits", vm.pid, ...SHORT]);
  const { suspended } = await vm.report();
  letGo(far.pid);
  assert.equal(suspended, held.length, "by the VM's own account, before and after");
  // Those of the VM itself that want to send there wait, too.
  const edges = graph.edges.filter(
    (/** @type {any} */ { target, waiters }) => target.pid === name && waiters === "shop_sender",
  );
  const sum = edges.reduce((/** @type {number} */ all, /** @type {any} */ { processes }) => all + processes, 0);
  assert.equal(sum, held.length);
  for (const { pids } of edges) for (const pid of pids) assert.ok(held.includes(pid), pid);
  const end = graph.ends.find((/** @type {any} */ { process }) => process.pid === name);
  assert.deepEqual([end.status, end.process.node], ["busy", end.process.pid]);
  assert.ok(end.all >= held.length);
  assert.ok(end.port.bytes > 1_000_000, `${end.port.bytes} bytes wait`);
}

/** A loop that keeps a table or counters is in no call; a call by hand is in one that is not known, or may be. @param {RunningVm} vm */
export async function assertHandles(vm) {
  const { kv, takes } = await vm.report();
  const { waits_for: graph } = await helperJson(["waits", vm.pid, ...SHORT]);
  const ours = graph.unknown_calls.filter((/** @type {any} */ one) => one.call.startsWith("gt_handles:"));
  assert.deepEqual(
    ours
      .map((/** @type {any} */ { call, processes, asked, keeps }) => [call, processes, asked?.pid === kv, keeps?.pid])
      .toSorted(),
    [
      ["gt_handles:ask/1", 5, true, kv],
      ["gt_handles:between/2", 2, false, undefined],
      ["gt_handles:call/1", 3, false, undefined],
      ["gt_handles:limited/2", 4, true, undefined],
    ],
  );
  // Their stacks are those of servers, too: they may be in a call.
  const maybe = graph.maybe_calls.filter((/** @type {any} */ one) => one.call.startsWith("gt_handles:"));
  assert.deepEqual(
    maybe.map((/** @type {any} */ { call, processes, keeps }) => [call, processes, keeps?.pid]).toSorted(),
    [
      ["gt_handles:idle_loop/1", 2, undefined],
      ["gt_handles:poll_loop/1", 6, takes],
    ],
  );
  assert.ok(graph.in_maybe_calls >= 8);
  const { stdout } = await runHelper(["waits", vm.pid, ...SHORT]);
  assert.match(stdout, /wait in a called function with "loop" in its name, for a reply or for any message, which is/);
  for (const line of [
    `  6 erlang:apply/2 in gt_handles:poll_loop/1, likely for ${takes} gt_takes, whose pid they keep`,
    `  5 erlang:apply/2 in gt_handles:ask/1, likely for ${kv} gt_kv, which they called`,
    `  4 erlang:apply/2 in gt_handles:limited/2, likely for ${kv} gt_kv, which they called`,
    "  2 erlang:apply/2 in gt_handles:between/2, for which process is not known",
  ])
    assert.ok(stdout.includes(`${line}\n`), stdout);
}
