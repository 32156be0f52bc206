// The stacks of a graph that lead to some functions, or come from them. Nothing of a document in here.

import type { FlameData } from "../../contract/flame-data.js";
import { createLayout, type Layout } from "./layout.js";

/** A part of a graph, as a graph. */
export interface FilteredTree {
  readonly layout: Layout;
  /** Nodes that have to be open for every found function to be in sight. */
  readonly open: Set<number>;
}

/**
 * Functions that fit with all that calls them and all that they call; shares stay those of the whole graph.
 * @param fits by the index of a function
 */
export function filteredTree(data: FlameData, fits: (functionIndex: number) => boolean): FilteredTree {
  const count = data.nodeFunction.length;
  const isFound = Uint8Array.from(data.functionNames, (_, index) => Number(fits(index)));
  const found = (node: number) => node > 0 && isFound[data.nodeFunction[node] as number] === 1;
  // Below a function that fits, and above one.
  const below = new Uint8Array(count);
  const above = new Uint8Array(count);
  for (let node = 1; node < count; node++) {
    const parent = data.nodeParent[node] as number;
    if (found(parent) || below[parent] === 1) below[node] = 1;
  }
  for (let node = count - 1; node > 0; node--)
    if (found(node) || above[node] === 1) above[data.nodeParent[node] as number] = 1;
  const kept: number[] = [];
  const open = new Set<number>([0]);
  for (let node = 0; node < count; node++) {
    if (node > 0 && !found(node) && below[node] === 0 && above[node] === 0) continue;
    if (above[node] === 1) open.add(kept.length);
    kept.push(node);
  }
  return { layout: createLayout(partOf(data, kept)), open };
}

/** @param kept nodes in their order, each with its parent */
function partOf(data: FlameData, kept: readonly number[]): FlameData {
  const numbers = new Int32Array(data.nodeFunction.length).fill(-1);
  kept.forEach((node, number) => (numbers[node] = number));
  const wide = (column: Uint32Array) => Uint32Array.from(kept, (node) => column[node] as number);
  const narrow = (column: Uint16Array) => Uint16Array.from(kept, (node) => column[node] as number);
  return {
    ...data,
    nodeFunction: wide(data.nodeFunction),
    nodeParent: Int32Array.from(kept, (node) =>
      node === 0 ? -1 : (numbers[data.nodeParent[node] as number] as number),
    ),
    nodeDepth: narrow(data.nodeDepth),
    nodeStart: wide(data.nodeStart),
    nodeTotal: wide(data.nodeTotal),
    nodeSelf: wide(data.nodeSelf),
    nodeLine: wide(data.nodeLine),
    nodeLevels: narrow(data.nodeLevels),
  };
}
