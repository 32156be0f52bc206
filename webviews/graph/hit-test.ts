// From a place on the canvas to a node, and from a node to its neighbours.

import { childrenOf, firstEndingAfter, type Layout, type Span } from "./layout.js";

/** Node under a sample position in a row; -1 when there is none. */
export function nodeAt(layout: Layout, row: number, sample: number): number {
  if (row < 0 || row >= layout.rowCount) return -1;
  const index = firstEndingAfter(layout, row, sample);
  if (index >= (layout.rowOffsets[row + 1] ?? 0)) return -1;
  const node = layout.rowNodes[index] as number;
  return (layout.data.nodeStart[node] as number) <= sample ? node : -1;
}

export type Direction = "parent" | "child" | "left" | "right";

/** Where a key goes from a node; the node itself when there is nothing that way. Left and right stay in the row. */
export function neighbour(layout: Layout, node: number, direction: Direction, within: Span): number {
  const { data } = layout;
  if (direction === "parent") return Math.max(data.nodeParent[node] ?? -1, 0);
  if (direction === "child") {
    for (const child of childrenOf(layout, node)) {
      const start = data.nodeStart[child] as number;
      if (start < within.right && start + (data.nodeTotal[child] as number) > within.left) return child;
    }
    return node;
  }
  const row = data.nodeDepth[node] ?? 0;
  const index = firstEndingAfter(layout, row, data.nodeStart[node] ?? 0) + (direction === "left" ? -1 : 1);
  if (index < (layout.rowOffsets[row] as number) || index >= (layout.rowOffsets[row + 1] as number)) return node;
  const found = layout.rowNodes[index] as number;
  const start = data.nodeStart[found] as number;
  return start >= within.right || start + (data.nodeTotal[found] as number) <= within.left ? node : found;
}
