// Heaps of processes, compared with the remains of the VM's own full collection of gt_heaps.
import assert from "node:assert/strict";
import { helperJson } from "../e2e/helper.mjs";

/** The kinds of processes of gt_heaps, in its order, and the processes of each. */
const KINDS = ["lists", "tuples", "maps", "large_map", "funs", "binaries", "numbers", "dictionary", "server"];
const OF_A_KIND = 5;

/** @param {any[]} of */
const sum = (of) => of.reduce((words, one) => words + one.words, 0);

/**
 * What lives is what a full collection leaves, to the word.
 * @param {import("../vms/vm.mjs").RunningVm} vm @param {(pid: string, index: number) => boolean} isLooked   there are five of each kind
 */
export async function assertHeaps(vm, isLooked = () => true) {
  const { pids } = await vm.report();
  assert.ok(pids.length >= 50);
  /** @type {any[]} */
  const heaps = [];
  const looked = pids.filter(isLooked);
  for (const pid of looked) heaps.push(await helperJson(["heap", vm.pid, pid]));
  const all = ["ps", vm.pid, "--by", "initial-call", "--look-into", OF_A_KIND];
  const groups = (await helperJson(all)).groups;
  const some = (await helperJson([...all.slice(0, -1), 2])).groups;
  const { collected } = await vm.report();
  assert.deepEqual(
    heaps.map(({ pid, live_words: live }) => [pid, live]),
    looked.map((/** @type {string} */ pid) => [pid, collected[pids.indexOf(pid)]]),
  );
  // Where all of a group were inspected, its garbage is what the collections freed, else it is an estimate.
  const servers = (/** @type {any[]} */ of) => of.find(({ name }) => name === "gt_heaps:init/1");
  const { garbage_words: garbage, unused_words: unused, looked_into: into, ...group } = servers(groups);
  const first = KINDS.indexOf("server") * OF_A_KIND;
  const live = collected
    .slice(first, first + OF_A_KIND)
    .reduce((/** @type {number} */ words, /** @type {number} */ more) => words + more, 0);
  assert.deepEqual([group.processes, group.garbage_is_exact, into.processes], [OF_A_KIND, true, OF_A_KIND]);
  assert.deepEqual([into.live_words, garbage], [live, group.heap_words - unused - live]);
  const { garbage_is_exact: isExact, looked_into: intoSome } = servers(some);
  assert.deepEqual([isExact, intoSome.processes], [false, 2]);
  for (const heap of heaps) {
    assert.equal(sum(heap.roots), heap.live_words, heap.pid);
    assert.equal(sum(heap.kinds), heap.used_words, heap.pid);
    for (const root of heap.roots) assert.ok(root.parts.every((/** @type {any} */ part) => part.words <= root.words));
  }
  assert.ok(
    heaps.some((heap) => heap.live_words < heap.used_words / 2),
    "there is garbage",
  );
  const server = heaps.find((heap) =>
    heap.roots.some((/** @type {any} */ root) => /^y\d+ of gen_server:loop\/\d$/.test(root.root)),
  );
  assert.ok(server, "the state of a server hangs on its loop");
  const state = server.roots[0].parts.map((/** @type {any} */ part) => part.part);
  assert.ok(state.includes("element 4"), `the queue is an element of the state: ${state}`);
  assert.ok(heaps.some((heap) => heap.roots.some((/** @type {any} */ root) => root.root === "dictionary key key_1")));
  assert.ok(heaps.every((heap) => heap.stack.length > 0 && heap.stack[0].function !== null));
}
