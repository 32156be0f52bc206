import assert from "node:assert/strict";
import { test } from "node:test";
import { neighbour, nodeAt } from "../../../webviews/graph/hit-test.js";
import { childrenOf, createLayout, MIN_NODE_PX, problemWith, visitRow } from "../../../webviews/graph/layout.js";
import { between, clampSpan, panSpan, zoomSpan } from "../../../webviews/graph/viewport.js";
import { syntheticFlame } from "../../webviews/flame-sources.mjs";
import { SMALL } from "./fixtures.js";

test("rows, subtrees and children of a small graph", () => {
  const layout = createLayout(SMALL);
  assert.equal(layout.rowCount, 4);
  assert.deepEqual([...layout.rowNodes.slice(layout.rowOffsets[1], layout.rowOffsets[2])], [1, 6]);
  assert.deepEqual([...layout.subtreeEnd], [7, 6, 5, 4, 5, 6, 7]);
  assert.deepEqual([...childrenOf(layout, 1)], [2, 5]);
  assert.deepEqual([...layout.childCount], [2, 2, 2, 0, 0, 0, 0]);
});

test("every node wide enough is visited, every other is inside a run of tiny ones", () => {
  const data = syntheticFlame(60_000);
  assert.equal(problemWith(data), null);
  const layout = createLayout(data);
  for (const span of [
    { left: 0, right: 60_000 },
    { left: 1_000.5, right: 9_000.25 },
    { left: 30_000, right: 30_040 },
  ]) {
    const samplesPerPx = (span.right - span.left) / 800;
    for (let row = 0; row < layout.rowCount; row++) {
      const visited = new Set<number>();
      const runs: [number, number][] = [];
      visitRow(
        layout,
        row,
        span,
        samplesPerPx,
        (node) => visited.add(node),
        (left, right) => runs.push([left, right]),
      );
      const calls = visited.size + runs.length;
      for (let at = layout.rowOffsets[row] ?? 0; at < (layout.rowOffsets[row + 1] ?? 0); at++) {
        const node = layout.rowNodes[at] ?? 0;
        const left = data.nodeStart[node] ?? 0;
        const right = left + (data.nodeTotal[node] ?? 0);
        const inSight = left < span.right && right > span.left;
        const wide = right - left >= MIN_NODE_PX * samplesPerPx;
        assert.equal(visited.has(node), inSight && wide, `node ${node}`);
        if (inSight && !wide)
          assert.ok(
            runs.some(([from, to]) => from <= left && to >= right),
            `tiny node ${node}`,
          );
      }
      assert.ok(calls <= 800 * 5, `row ${row} took ${calls} calls`);
    }
  }
});

test("a place finds its node, and only there", () => {
  const layout = createLayout(SMALL);
  assert.equal(nodeAt(layout, 0, 0), 0);
  assert.equal(nodeAt(layout, 1, 24.9), 1);
  assert.equal(nodeAt(layout, 1, 25), 6);
  assert.equal(nodeAt(layout, 2, 23.5), -1, "samples of the parent's own");
  assert.equal(nodeAt(layout, 9, 1), -1);
  assert.equal(nodeAt(layout, -1, 1), -1);
});

test("keys move between relatives, inside what is in sight", () => {
  const layout = createLayout(SMALL);
  const all = { left: 0, right: 28 };
  assert.equal(neighbour(layout, 1, "child", all), 2);
  assert.equal(neighbour(layout, 2, "right", all), 5);
  assert.equal(neighbour(layout, 5, "left", all), 2);
  assert.equal(neighbour(layout, 5, "right", all), 5);
  assert.equal(neighbour(layout, 2, "parent", all), 1);
  assert.equal(neighbour(layout, 0, "parent", all), 0);
  assert.equal(neighbour(layout, 1, "child", { left: 18, right: 23 }), 5, "the child in sight");
  assert.equal(neighbour(layout, 2, "right", { left: 0, right: 18 }), 2);
});

test("zoom keeps the place under the pointer and stays inside the graph", () => {
  const zoomed = zoomSpan({ left: 0, right: 100 }, 0.5, 20, 100);
  assert.deepEqual(zoomed, { left: 10, right: 60 });
  assert.deepEqual(zoomSpan(zoomed, 100, 20, 100), { left: 0, right: 100 });
  assert.deepEqual(panSpan(zoomed, 10, 100), { left: 50, right: 100 });
  assert.equal(clampSpan({ left: 5, right: 5 }, 100).right - clampSpan({ left: 5, right: 5 }, 100).left, 0.5);
  assert.deepEqual(between({ left: 0, right: 10 }, { left: 5, right: 6 }, 1), { left: 5, right: 6 });
  assert.deepEqual(between({ left: 0, right: 10 }, { left: 5, right: 6 }, 0), { left: 0, right: 10 });
});

test("data that cannot be drawn is reported", () => {
  assert.equal(problemWith(SMALL), null);
  assert.match(problemWith({ ...SMALL, nodeSelf: new Uint32Array(1) }) ?? "", /length/);
  assert.match(problemWith({ ...SMALL, nodeFunction: SMALL.nodeFunction.map(() => 99) }) ?? "", /function/);
  assert.match(problemWith({ ...SMALL, nodeParent: SMALL.nodeParent.map(() => 6) }) ?? "", /parent/);
  assert.match(problemWith({ ...SMALL, nodeDepth: SMALL.nodeDepth.map(() => 0) }) ?? "", /depth/);
});
