// Heaps of processes, compared with the remains of the VM's own full collection of gt_heaps.
import assert from "node:assert/strict";
import { helperJson } from "../e2e/helper.mjs";

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
  const { collected } = await vm.report();
  assert.deepEqual(
    heaps.map(({ pid, live_words: live }) => [pid, live]),
    looked.map((/** @type {string} */ pid) => [pid, collected[pids.indexOf(pid)]]),
  );
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
