// Rows of a flame graph, for drawing and hit tests that cost as much as there are pixels, not as there are nodes.

import type { FlameData } from "../../contract/flame-data.js";

export interface Layout {
  readonly data: FlameData;
  readonly rowCount: number;
  /** Row r holds rowNodes[rowOffsets[r] .. rowOffsets[r + 1]), left to right. */
  readonly rowOffsets: Uint32Array;
  readonly rowNodes: Uint32Array;
  /** One past the last node under each node (nodes are depth-first). */
  readonly subtreeEnd: Uint32Array;
  readonly childCount: Uint32Array;
}

/** The part of the graph in sight, in samples; fractions are allowed. */
export interface Span {
  readonly left: number;
  readonly right: number;
}

/** Narrower than this many pixels is not drawn as a node of its own. */
export const MIN_NODE_PX = 0.5;

export function createLayout(data: FlameData): Layout {
  const count = data.nodeFunction.length;
  const { nodeDepth, nodeParent } = data;
  let deepest = -1;
  for (let node = 0; node < count; node++) deepest = Math.max(deepest, nodeDepth[node] as number);
  const rowCount = deepest + 1;
  const rowOffsets = new Uint32Array(rowCount + 1);
  for (let node = 0; node < count; node++) {
    const next = (nodeDepth[node] as number) + 1;
    rowOffsets[next] = (rowOffsets[next] as number) + 1;
  }
  for (let row = 0; row < rowCount; row++)
    rowOffsets[row + 1] = (rowOffsets[row + 1] as number) + (rowOffsets[row] as number);
  const fill = rowOffsets.slice(0, rowCount);
  const rowNodes = new Uint32Array(count);
  // Depth-first order puts the nodes of one depth left to right already.
  for (let node = 0; node < count; node++) {
    const row = nodeDepth[node] as number;
    const at = fill[row] as number;
    rowNodes[at] = node;
    fill[row] = at + 1;
  }
  const subtreeEnd = new Uint32Array(count);
  const childCount = new Uint32Array(count);
  for (let node = count - 1; node >= 0; node--) {
    const end = Math.max(subtreeEnd[node] as number, node + 1);
    subtreeEnd[node] = end;
    const parent = nodeParent[node] as number;
    if (parent < 0) continue;
    subtreeEnd[parent] = Math.max(subtreeEnd[parent] as number, end);
    childCount[parent] = (childCount[parent] as number) + 1;
  }
  return { data, rowCount, rowOffsets, rowNodes, subtreeEnd, childCount };
}

/** Index into `rowNodes` of the first node of the row that ends right of `sample`; the row's end when none does. */
export function firstEndingAfter(layout: Layout, row: number, sample: number, from?: number): number {
  const { rowNodes, rowOffsets, data } = layout;
  const rowEnd = rowOffsets[row + 1] ?? 0;
  let low = from ?? rowOffsets[row] ?? 0;
  const endOf = (index: number) => {
    const node = rowNodes[index] as number;
    return (data.nodeStart[node] as number) + (data.nodeTotal[node] as number);
  };
  // Gallop first: the target is most often a few nodes away.
  let stride = 1;
  while (low + stride < rowEnd && endOf(low + stride - 1) <= sample) {
    low += stride;
    stride *= 2;
  }
  let high = Math.min(low + stride, rowEnd);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (endOf(middle) <= sample) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Calls `visit` for every node of a row that is at least MIN_NODE_PX wide, and `visitTiny` for every run of narrower
 * ones, with the samples they span. Cost: about the row's pixels.
 */
export function visitRow(
  layout: Layout,
  row: number,
  span: Span,
  samplesPerPx: number,
  visit: (node: number) => void,
  visitTiny: (left: number, right: number) => void,
): void {
  const { rowNodes, rowOffsets, data } = layout;
  const rowEnd = rowOffsets[row + 1] ?? 0;
  const smallest = MIN_NODE_PX * samplesPerPx;
  let index = firstEndingAfter(layout, row, span.left);
  let tinyLeft = -1;
  let tinyRight = -1;
  while (index < rowEnd) {
    const node = rowNodes[index] as number;
    const start = data.nodeStart[node] as number;
    if (start >= span.right) break;
    const total = data.nodeTotal[node] as number;
    if (total >= smallest) {
      if (tinyLeft >= 0) visitTiny(tinyLeft, tinyRight);
      tinyLeft = -1;
      visit(node);
      index++;
      continue;
    }
    if (tinyLeft >= 0 && start - tinyRight > smallest) {
      visitTiny(tinyLeft, tinyRight);
      tinyLeft = -1;
    }
    if (tinyLeft < 0) tinyLeft = start;
    // Nothing that ends within the next half pixel can be wide enough, so none of it needs a look.
    const next = Math.max(firstEndingAfter(layout, row, start + smallest, index), index + 1);
    const last = rowNodes[next - 1] as number;
    tinyRight = (data.nodeStart[last] as number) + (data.nodeTotal[last] as number);
    index = next;
  }
  if (tinyLeft >= 0) visitTiny(tinyLeft, tinyRight);
}

/** Children of a node, largest first. */
export function* childrenOf(layout: Layout, node: number): Generator<number> {
  const end = layout.subtreeEnd[node] ?? 0;
  for (let child = node + 1; child < end; child = layout.subtreeEnd[child] as number) yield child;
}

export function spanOf(data: FlameData, node: number): Span {
  const left = data.nodeStart[node] ?? 0;
  return { left, right: left + (data.nodeTotal[node] ?? 0) };
}

/** The fault in data that cannot be drawn; null when it can. */
export function problemWith(data: FlameData): string | null {
  const count = data.nodeFunction.length;
  const arrays = [
    data.nodeParent,
    data.nodeDepth,
    data.nodeStart,
    data.nodeTotal,
    data.nodeSelf,
    data.nodeLine,
    data.nodeLevels,
  ];
  if (arrays.some((array) => array.length !== count)) return "its arrays differ in length";
  const functions = data.functionNames.length;
  if (
    data.functionKinds.length !== functions ||
    data.functionIsOwn.length !== functions ||
    data.functionFiles.length !== functions ||
    data.functionHeadLines.length !== functions
  ) {
    return "its function tables differ in length";
  }
  for (let node = 0; node < count; node++) {
    if ((data.nodeFunction[node] as number) >= functions) return `node ${node} names a function that is not there`;
    const parent = data.nodeParent[node] as number;
    if (node === 0 ? parent !== -1 : parent < 0 || parent >= node) return `node ${node} does not follow its parent`;
    if (data.nodeDepth[node] !== (parent < 0 ? 0 : (data.nodeDepth[parent] as number) + 1))
      return `node ${node} is at the wrong depth`;
  }
  return null;
}
