// Rows of processes, compared with the VM's own report of gt_inside.
import assert from "node:assert/strict";

/** Of a binary that is being appended to: OTP 25 does not list it. */
const APPENDED_BYTES = 72;

/** The VM's report of a process, in the shape of ps. @param {Record<string, any>} reported */
export function asPs(reported) {
  return Object.fromEntries(Object.entries(reported).map(([key, value]) => [key, value === "null" ? null : value]));
}

/** @param {Record<string, any>} shown @param {Record<string, any>} reported @param {string[]} keys */
export function assertSame(shown, reported, keys) {
  const pick = (/** @type {Record<string, any>} */ of) => Object.fromEntries(keys.map((key) => [key, of[key]]));
  assert.deepEqual(pick(shown), pick(reported), `process ${reported.pid}`);
}

export const NAMES = ["pid", "name", "label", "initial_call"];
export const NUMBERS = ["status", "priority", "mailbox", "minor_gcs"];

/**
 * Each process is read as the VM reports it.
 * @param {string} release @param {any} vm @param {number} each   of ten kinds @param {() => Promise<any>} look   what `ps` shows
 */
export async function assertProcesses(release, vm, each, look) {
  const before = (await vm.report()).processes;
  const { processes, rejected } = await look();
  const after = new Map((await vm.report()).processes.map((/** @type {any} */ process) => [process.pid, process]));
  assert.deepEqual(rejected, { freed: 0, torn: 0 });
  const shown = new Map(processes.map((/** @type {any} */ process) => [process.pid, process]));
  assert.equal(shown.size, processes.length, "no pid twice");
  let rested = 0;
  // A queried process works for its answer, each for the same.
  const askedFor = (/** @type {any} */ one) => after.get(one.pid)?.reductions - one.reductions;
  const asking = Math.min(...before.filter((/** @type {any} */ one) => one.known).map(askedFor));
  for (const one of before.map(asPs)) {
    const there = shown.get(one.pid);
    assert.ok(there, `${one.pid} is among them`);
    assertSame(there, one, NAMES);
    assert.equal(there.label_known, true, `process ${one.pid} rests`);
    if (one.parent !== "unknown") assert.equal(there.parent, one.parent);
    // Those of the VM's own may have worked in between.
    if (!one.known && askedFor(one) !== asking) continue;
    rested += 1;
    assertSame(there, one, NUMBERS);
    // The question itself may lie in a fragment of the heap.
    const fragments = there.heap_words - one.heap_words;
    assert.ok(
      [0, one.fragments_words].includes(fragments),
      `process ${one.pid}: ${there.heap_words} words, ${one.heap_words} and ${one.fragments_words}`,
    );
    assert.equal(there.heap_used_words - fragments, one.heap_used_words, `process ${one.pid}`);
    // An answer with a binary that was being appended to makes it as short as its contents.
    const unlisted = there.binary_bytes - after.get(one.pid).binary_bytes;
    assert.ok(
      unlisted === 0 || (release === "25" && unlisted === APPENDED_BYTES),
      `process ${one.pid}: ${there.binary_bytes} bytes of binaries`,
    );
    assert.ok(
      there.reductions >= one.reductions && there.reductions <= one.reductions + askedFor(one),
      `process ${one.pid}: ${there.reductions} reductions, ${one.reductions} before`,
    );
    assert.equal(there.current, one.current, `process ${one.pid}`);
    if (one.current !== "erlang:hibernate/3")
      assert.equal(there.line, one.line, `process ${one.pid}: ${there.current}`);
    const asked = one.fragments_words * 8;
    assert.ok(
      Math.abs(one.memory - there.memory) <= one.memory / 100 + asked,
      `process ${one.pid}: ${there.memory} of ${one.memory} bytes`,
    );
    assert.equal(there.memory_at_least, false, `process ${one.pid}`);
  }
  assert.ok(rested >= 10 * each, `${rested} rested`);
}
