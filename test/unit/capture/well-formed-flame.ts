import assert from "node:assert/strict";
import type { FlameData } from "../../../contract/flame-data.js";

/** The properties that the documentation of `FlameData` promises. */
export function assertWellFormed(flame: FlameData): void {
  const count = flame.nodeFunction.length;
  for (const column of [
    flame.nodeParent,
    flame.nodeDepth,
    flame.nodeStart,
    flame.nodeTotal,
    flame.nodeSelf,
    flame.nodeLine,
    flame.nodeLevels,
  ])
    assert.equal(column.length, count);
  assert.equal(flame.nodeParent[0], -1);
  assert.equal(flame.nodeTotal[0], flame.totalSamples);
  const end = new Array<number>(count).fill(0);
  const lastChildTotal = new Array<number>(count).fill(Infinity);
  const path: number[] = [];
  for (let node = 0; node < count; node++) {
    const parent = flame.nodeParent[node] as number;
    const total = flame.nodeTotal[node] as number;
    assert.ok(total > 0 || node === 0);
    assert.ok((flame.nodeFunction[node] as number) < flame.functionNames.length);
    end[node] = flame.nodeStart[node] as number;
    if (node === 0) {
      path.push(0);
      continue;
    }
    while (path.at(-1) !== parent) assert.notEqual(path.pop(), undefined, "not depth-first");
    path.push(node);
    assert.equal(flame.nodeDepth[node], path.length - 1);
    assert.equal(flame.nodeStart[node], end[parent], "siblings leave a gap");
    end[parent] = (end[parent] as number) + total;
    assert.ok(
      (end[parent] as number) <= (flame.nodeStart[parent] as number) + (flame.nodeTotal[parent] as number),
      "wider than its parent",
    );
    assert.ok(total <= (lastChildTotal[parent] as number), "siblings not by samples");
    lastChildTotal[parent] = total;
  }
  for (let node = 0; node < count; node++) {
    assert.equal(
      (end[node] as number) - (flame.nodeStart[node] as number) + (flame.nodeSelf[node] as number),
      flame.nodeTotal[node],
    );
  }
  for (const column of [flame.functionKinds, flame.functionFiles, flame.functionHeadLines])
    assert.equal(column.length, flame.functionNames.length);
}
