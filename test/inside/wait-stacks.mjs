// The stacks of processes that wait, compared with the VM's own report of gt_inside.
import assert from "node:assert/strict";
import { readProfile } from "../pprof-reader.mjs";

/**
 * Processes wait where the VM reports them.
 * @param {any} waits   what the command printed @param {any[]} reported   by the VM, of those of gt_inside
 * @param {string} file   the profile that it wrote @param {number} each   of ten kinds; one of them calls itself as often as its number
 */
export function assertStacks(waits, reported, file, each) {
  assert.equal(waits.unproven, 0);
  assert.equal(waits.processes, waits.waiting + waits.restless);
  // Of a function that calls itself the VM reports one frame.
  const text = (/** @type {string[]} */ stack) => stack.filter((name, index) => name !== stack[index - 1]).join(" < ");
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (const { stack, processes } of waits.waits) seen.set(text(stack), (seen.get(text(stack)) ?? 0) + processes);
  const depths = waits.waits
    .filter((/** @type {any} */ { stack }) => stack.includes("gt_inside:deep/1"))
    .map((/** @type {any} */ { stack }) => stack.length);
  assert.deepEqual(
    depths.toSorted((/** @type {number} */ a, /** @type {number} */ b) => a - b).slice(-each),
    Array.from({ length: each }, (_, index) => index + 2),
    "each as deep as it called itself",
  );
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const one of reported) {
    // One that hibernates has no stack.
    const stack = one.stack.length === 0 ? one.current : text(one.stack);
    counts.set(stack, (counts.get(stack) ?? 0) + 1);
  }
  let compared = 0;
  for (const [stack, length] of counts) {
    const waiting = seen.get(stack) ?? 0;
    // Processes of the VM's own wait in the loop of a server, too.
    if (stack.includes("gt_inside")) assert.equal(waiting, length, stack);
    else assert.ok(waiting >= length, `${waiting} of ${length} processes in ${stack}`);
    compared += length;
  }
  assert.equal(compared, 10 * each);
  const all = waits.waits.reduce((/** @type {number} */ sum, /** @type {any} */ group) => sum + group.seconds, 0);
  const profile = readProfile(file);
  assert.deepEqual(profile.sampleTypes, ["waiting"]);
  const inFile = profile.samples.reduce((sum, { values }) => sum + (values[0] ?? 0), 0);
  // A look that is some part of a millisecond later counts the whole ones.
  assert.ok(
    inFile <= all * 1000 && inFile >= all * 1000 - waits.looks * waits.processes,
    `${inFile} ms in the file, ${all} s shown`,
  );
  const labels = profile.samples.map(({ labels }) => labels["process"]);
  assert.ok(labels.includes("gt_inside:init/1"));
}
