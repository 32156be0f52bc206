// The rows of the tree: its open nodes, flattened in order. The cost depends on the shown rows, not on the size of the
// tree.

import type { Layout } from "./layout.js";
import { findPath, pathOf } from "./path-match.js";

export interface TreeRow {
  readonly node: number;
  /** 1 for the root. */
  readonly level: number;
  /** 1 for the first child. */
  readonly position: number;
  readonly siblings: number;
  readonly expandable: boolean;
  readonly expanded: boolean;
}

export interface TreeRows {
  readonly nodes: Uint32Array;
  readonly positions: Uint32Array;
}

export function flattenTree(layout: Layout, expanded: ReadonlySet<number>): TreeRows {
  const { data, subtreeEnd } = layout;
  const nodes: number[] = [];
  const positions: number[] = [];
  const seenAtDepth: number[] = [];
  const count = data.nodeFunction.length;
  for (let node = 0; node < count; node = expanded.has(node) ? node + 1 : (subtreeEnd[node] as number)) {
    const depth = data.nodeDepth[node] as number;
    seenAtDepth.length = depth + 1;
    const position = (seenAtDepth[depth] ?? 0) + 1;
    seenAtDepth[depth] = position;
    nodes.push(node);
    positions.push(position);
  }
  return { nodes: Uint32Array.from(nodes), positions: Uint32Array.from(positions) };
}

export function treeRow(layout: Layout, rows: TreeRows, index: number, expanded: ReadonlySet<number>): TreeRow {
  const node = rows.nodes[index] as number;
  const parent = layout.data.nodeParent[node] as number;
  return {
    node,
    level: (layout.data.nodeDepth[node] as number) + 1,
    position: rows.positions[index] as number,
    siblings: parent < 0 ? 1 : (layout.childCount[parent] as number),
    expandable: (layout.childCount[node] as number) > 0,
    expanded: expanded.has(node),
  };
}

/** Where a node is among the rows; -1 when something above it is closed. Rows are in node order. */
export function rowOf(rows: TreeRows, node: number): number {
  let low = 0;
  let high = rows.nodes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows.nodes[middle] as number) < node) low = middle + 1;
    else high = middle;
  }
  return rows.nodes[low] === node ? low : -1;
}

/** The same nodes of another graph, as far as it has them: open calls stay open when new samples come. */
export function carriedOver(before: Layout, expanded: ReadonlySet<number>, layout: Layout): Set<number> {
  const open = new Set<number>([0]);
  for (const node of expanded) {
    if (node >= before.data.nodeFunction.length) continue;
    const match = findPath(layout, pathOf(before.data, node));
    if (match.whole) open.add(match.node);
  }
  return open;
}

/** A call below this share of the first one does not show where the time goes. */
const LEAST_OPEN = 0.02;

/** The path of the most samples, down to the call that takes more of them itself than any call below it, or to a small one. */
export function expandHeaviest({ data, childCount }: Layout): Set<number> {
  const open = new Set<number>([0]);
  const least = (data.nodeTotal[1] ?? 0) * LEAST_OPEN;
  // The first child, which is the heaviest, is the next node.
  for (let node = 0; (childCount[node] ?? 0) > 0; node++) {
    const below = data.nodeTotal[node + 1] ?? 0;
    if (below < least || (data.nodeSelf[node] ?? 0) > below) break;
    open.add(node);
  }
  return open;
}

/** Opens everything above a node. */
export function expandTo(layout: Layout, expanded: Set<number>, node: number): void {
  for (let at = layout.data.nodeParent[node] ?? -1; at >= 0; at = layout.data.nodeParent[at] as number)
    expanded.add(at);
}
