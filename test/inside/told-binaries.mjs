// Binaries: their holders and allocators, and those that small parts keep alive, compared with the VM's own report of gt_binaries.
import assert from "node:assert/strict";
import { helperJson, runHelper } from "../e2e/helper.mjs";

/** As in gt_binaries. */
const LARGE = 1_000_000;
/** Holders by nothing but messages that wait for them, which `process_info(P, binary)` does not list. */
const BY_MESSAGES = [
  { name: "gt_off_heap", references: 100, binaries: 1, bytes: LARGE + 7, own_bytes: LARGE + 7 },
  { name: "gt_flooded", references: 10_000, binaries: 10_000, bytes: 700_000, own_bytes: 700_000 },
];
/** Of binaries that only a table holds. */
const UNHELD = 2 * LARGE;
/** Its processes; others may work at any time. */
const isOwn = (/** @type {any} */ process) => String(process.name).startsWith("gt_");

/** @param {any} process   as the VM reports it */
function summed(process) {
  /** @type {Map<string, {bytes: number, references: number, refc: number}>} */
  const binaries = new Map();
  for (const [address, bytes, refc] of process.binaries) {
    const id = `0x${BigInt(address).toString(16)}`;
    binaries.set(id, { bytes, refc, references: (binaries.get(id)?.references ?? 0) + 1 });
  }
  const all = [...binaries.values()];
  const bytesOf = (/** @type {typeof all} */ some) => some.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    row: {
      pid: process.pid,
      name: process.name,
      references: process.binaries.length,
      binaries: all.length,
      bytes: bytesOf(all),
      own_bytes: bytesOf(all.filter(({ refc, references }) => refc === references)),
    },
    binaries,
  };
}

/** @param {any} row */
const withoutLook = ({ looked_into: _, ...row }) => row;
/** @param {any} shown @param {string} name */
const keptBy = (shown, name) =>
  shown.kept.filter((/** @type {any} */ row) => row.holders.some((/** @type {any} */ holder) => holder.name === name));

/** @param {any} shown @param {any} reported @param {string} release */
function assertHeld(shown, reported, release) {
  const processes = new Map(shown.processes.map((/** @type {any} */ row) => [row.pid, withoutLook(row)]));
  const binaries = new Map(shown.binaries.map((/** @type {any} */ row) => [row.id, row]));
  let compared = 0;
  for (const process of reported.held.filter(isOwn)) {
    // Up to OTP 25 it leaves out binaries that are being appended to.
    if (process.binaries.length === 0) continue;
    const { row, binaries: held } = summed(process);
    assert.deepEqual(processes.get(process.pid), row);
    for (const [id, { bytes, refc }] of held) {
      const seen = binaries.get(id);
      assert.deepEqual([seen.bytes, seen.refc], [bytes, refc], `${process.name} ${id}`);
      compared++;
    }
  }
  for (const expected of BY_MESSAGES) {
    const holder = shown.processes.find((/** @type {any} */ row) => row.name === expected.name);
    assert.deepEqual({ ...withoutLook(holder), pid: undefined }, { ...expected, pid: undefined }, expected.name);
  }
  assert.ok(compared >= 259, `${compared} binaries were compared`);
  const appending = shown.binaries.find((/** @type {any} */ row) =>
    row.holders.some((/** @type {any} */ it) => it.name === "gt_appending"),
  );
  // OTP 23 has no list of them.
  assert.deepEqual([appending.appended, appending.bytes >= 40_000, appending.refc], [release !== "23", true, 1]);
  const shared = shown.binaries.find((/** @type {any} */ row) => row.bytes === 50_000);
  assert.deepEqual(shared.holders.map((/** @type {any} */ it) => it.name).toSorted(), ["gt_shares_a", "gt_shares_b"]);
  const besideEts = shown.binaries.find((/** @type {any} */ row) => row.bytes === LARGE + 4);
  assert.deepEqual([besideEts.refc, besideEts.references, besideEts.other_references], [3, 1, 2]);
}

/** @param {any} shown */
function assertKept(shown) {
  const [part] = keptBy(shown, "gt_part");
  assert.deepEqual([part.bytes, part.used_bytes, part.refc - part.references], [LARGE, 150, 0]);
  assert.ok(part.live_references > 0);
  const halved = keptBy(shown, "gt_head");
  assert.deepEqual(halved, keptBy(shown, "gt_tail"));
  assert.deepEqual(
    [halved[0].bytes, halved[0].used_bytes, halved[0].references, halved[0].live_references],
    [LARGE + 3, 200, 2, 2],
  );
  const [garbage] = keptBy(shown, "gt_garbage");
  assert.deepEqual([garbage.bytes, garbage.used_bytes, garbage.live_references], [LARGE + 6, 0, 0]);
  // All of it, nearly all of it, in the middle of being matched, in a message.
  for (const name of ["gt_holder", "gt_twice", "gt_most", "gt_matching", "gt_mailbox", "gt_heir"])
    assert.deepEqual(keptBy(shown, name), [], name);
  assert.ok(shown.looked_into.processes >= 12 && shown.looked_into.bytes <= shown.held.bytes);
}

/** @param {any} shown @param {any} reported @param {string} release */
function assertAllocated(shown, reported, release) {
  const { tags, by, unread_carriers: unread } = shown.allocated;
  assert.equal(unread, 0);
  const blocks = by
    .filter((/** @type {any} */ row) => row.allocator === "binary_alloc")
    .reduce((/** @type {number} */ sum, /** @type {any} */ row) => sum + row.blocks, 0);
  assert.ok(blocks >= shown.held.binaries, "each binary is a block");
  if (release === "23" || release === "25") {
    assert.equal(tags, "library");
    assert.ok(by.every((/** @type {any} */ row) => row.by === "system" && row.pid === null));
    return;
  }
  assert.equal(tags, "process");
  const of = (/** @type {(row: any) => boolean} */ wanted) =>
    by.find((/** @type {any} */ row) => row.allocator === "binary_alloc" && row.library === null && wanted(row));
  const maker = of((row) => row.pid === reported.maker);
  assert.deepEqual([maker.ended, maker.name, maker.blocks], [true, null, 50]);
  assert.ok(maker.bytes >= 50 * 20_000 && maker.bytes < 50 * 20_200);
  const holder = of((row) => row.name === "gt_holder");
  assert.deepEqual([holder.ended, holder.blocks], [false, 200]);
  // By the VM's own tags, those that still are there by name or pid.
  for (const [origin, count] of reported.allocations.filter((/** @type {[string, number]} */ [origin]) =>
    origin.startsWith("gt_"),
  ))
    assert.equal(of((row) => row.name === origin)?.blocks ?? 0, count, origin);
}

/** @param {any} shown   what the command printed @param {any} reported   by the VM @param {string} release */
export function assertBinaries(shown, reported, release) {
  // Each binary that is held is one of the VM's, and two more large ones are only in a table.
  assert.equal(shown.unheld_bytes, shown.vm_bytes - shown.held.bytes);
  assert.ok(shown.unheld_bytes >= UNHELD, `${shown.unheld_bytes} bytes are held by no process`);
  assertHeld(shown, reported, release);
  assertKept(shown);
  assertAllocated(shown, reported, release);
  assert.deepEqual(shown.rejected, { restless: 0, messages: 0, entries: { freed: 0, torn: 0 } });
}

/** Short lists, and the table. @param {number} pid @param {string} release */
export async function assertShown(pid, release) {
  const few = await helperJson(["binaries", pid, "-n", "3", "--look-into", "0"]);
  assert.deepEqual([few.processes.length, few.binaries.length, few.kept, few.looked_into.processes], [3, 3, [], 0]);
  assert.equal(few.binaries_left_out, few.held.binaries - 3);
  const { stdout } = await runHelper(["binaries", pid]);
  for (const wanted of [
    /^\d+\.\d\d MB are binaries of this VM\n\d+ binaries outside of heaps.*\nat most \d+\.\d\d MB are held by no process/,
    /^<0\.\d+\.0> +gt_flooded +10000 +10000 +0\.70 +0\.70$/m,
    /^<0\.\d+\.0> +gt_heir +50 +50 /m,
    /^kept for little /m,
    /binary:copy\/1/,
    /garbage that waits for a collection/,
  ])
    assert.match(stdout, wanted);
  assert.match(
    stdout,
    release === "23" || release === "25"
      ? /records which process has allocated a block from OTP 26 on/
      : /\(ended\) +binary_alloc +50 /,
  );
}
