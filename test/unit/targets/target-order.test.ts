import assert from "node:assert/strict";
import { test } from "node:test";
import type { BeamRow } from "../../../contract/protocol.generated.js";
import { inOrder, inPlace } from "../../../extension/src/targets/target-order.js";

function beam(pid: number, cpuPct: number): BeamRow {
  return { pid, command: "beam.smp", node: null, otp: "25", erts: null, flavor: null, schedulers: 2, container: null, uid: 0, cpuPct, attachable: true, reason: null };
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
    refreshed.map(({ pid, isGone, attachable }) => ({ pid, isGone, attachable })),
    [
      { pid: 1, isGone: true, attachable: false },
      { pid: 2, isGone: false, attachable: true },
    ],
  );
  assert.equal(inPlace(refreshed, [beam(1, 7), beam(2, 5)])[0]?.isGone, false, "its process id runs again");
  assert.deepEqual(pidsOf(inOrder([beam(2, 5)])), [2]);
});

test("VMs that come and go do not fill the view", () => {
  let rows = inOrder([beam(1, 1)]);
  for (let pid = 2; pid < 200; pid += 1) rows = inPlace(rows, [beam(1, 1), beam(pid, 1)]);
  assert.ok(rows.length <= 22, `${String(rows.length)} rows`);
  assert.deepEqual([rows[0]?.pid, rows.at(-1)?.pid], [1, 199]);
});
