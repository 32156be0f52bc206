import assert from "node:assert/strict";
import { test } from "node:test";
import type { BeamRow } from "../../../contract/protocol.generated.js";
import { afterLook, inOrder, inPlace, NO_TARGETS } from "../../../extension/src/targets/target-order.js";

function beam(pid: number, cpuPct: number): BeamRow {
  return {
    pid,
    command: "beam.smp",
    node: null,
    otp: "25",
    erts: null,
    flavor: null,
    schedulers: 2,
    container: null,
    uid: 0,
    cpuPct,
    attachable: true,
    reason: null,
  };
}

const pidsOf = (rows: readonly { readonly pid: number }[]) => rows.map(({ pid }) => pid);

test("a list in order anew has the busiest on top", () => {
  assert.deepEqual(pidsOf(inOrder([beam(1, 5), beam(2, 90)])), [2, 1]);
});

test("rows stay where they are when others become busier, and new ones come last", () => {
  const shown = inOrder([beam(1, 90), beam(2, 5)]);
  const refreshed = inPlace(shown, [beam(3, 99), beam(2, 95), beam(1, 0)]);
  assert.deepEqual(pidsOf(refreshed), [1, 2, 3]);
  assert.deepEqual(
    refreshed.map(({ cpuPct }) => cpuPct),
    [0, 95, 99],
  );
});

test("a VM that ended keeps its row, cannot be attached to, and is gone once the rows are put in order", () => {
  const shown = inOrder([beam(1, 90), beam(2, 5)]);
  const refreshed = inPlace(shown, [beam(2, 5)]);
  assert.deepEqual(
    refreshed.map(({ pid, isGone, attachable, cpuPct }) => ({ pid, isGone, attachable, cpuPct })),
    [
      { pid: 1, isGone: true, attachable: false, cpuPct: null },
      { pid: 2, isGone: false, attachable: true, cpuPct: 5 },
    ],
  );
  assert.equal(inPlace(refreshed, [beam(1, 7), beam(2, 5)])[0]?.isGone, false, "its process id runs again");
  assert.deepEqual(pidsOf(inOrder([beam(2, 5)])), [2]);
});

test("a VM that ended stays for some seconds, and is folded below the others then", () => {
  const first = afterLook(NO_TARGETS, [beam(1, 90), beam(2, 5)], 0);
  const ended = afterLook(first, [beam(2, 5)], 5_000);
  assert.deepEqual([pidsOf(ended.rows), pidsOf(ended.ended)], [[1, 2], []]);
  const folded = afterLook(ended, [beam(2, 5)], 10_000);
  assert.deepEqual([pidsOf(folded.rows), pidsOf(folded.ended)], [[2], [1]]);
  const again = afterLook(folded, [beam(1, 3), beam(2, 5)], 15_000);
  assert.deepEqual([pidsOf(again.rows), pidsOf(again.ended)], [[2, 1], []], "its process id runs again");
});

test("of VMs that ended, those that ended last are on top, whatever their order was", () => {
  const running = beam(9, 1);
  const first = afterLook(NO_TARGETS, [beam(1, 90), beam(2, 50), beam(3, 20), running], 0);
  const oneEnded = afterLook(first, [beam(1, 90), beam(3, 20), running], 1_000);
  const anotherEnded = afterLook(oneEnded, [beam(3, 20), running], 2_000);
  const thirdEnded = afterLook(anotherEnded, [running], 3_000);
  const folded = afterLook(thirdEnded, [running], 10_000);
  assert.deepEqual([pidsOf(folded.rows), pidsOf(folded.ended)], [[9], [3, 1, 2]]);
});

test("a VM that ended is folded when its time is over, not before", () => {
  const first = afterLook(NO_TARGETS, [beam(1, 90), beam(2, 5)], 0);
  const ended = afterLook(first, [beam(2, 5)], 1_000);
  const still = afterLook(ended, [beam(2, 5)], 4_999);
  assert.deepEqual([pidsOf(still.rows), pidsOf(still.ended)], [[1, 2], []]);
  const folded = afterLook(still, [beam(2, 5)], 5_000);
  assert.deepEqual([pidsOf(folded.rows), pidsOf(folded.ended)], [[2], [1]], "since it was first seen to be gone");
});

test("a VM that comes is where its load puts it; while the same ones run, none moves", () => {
  const first = afterLook(NO_TARGETS, [beam(1, 50), beam(2, 5)], 0);
  assert.deepEqual(pidsOf(afterLook(first, [beam(1, 0), beam(2, 95)], 5_000).rows), [1, 2]);
  assert.deepEqual(pidsOf(afterLook(first, [beam(1, 50), beam(2, 5), beam(3, 99)], 5_000).rows), [3, 1, 2]);
});

test("VMs that come and go fill neither the view nor the memory", () => {
  let list = NO_TARGETS;
  for (let pid = 2; pid < 200; pid += 1) list = afterLook(list, [beam(1, 1), beam(pid, 1)], pid * 5_000);
  assert.deepEqual(pidsOf(list.rows), [1, 199, 198]);
  assert.deepEqual([list.ended.length, list.ended[0]?.pid], [20, 197]);
});
