import type { FlameData, GroupBy } from "../../../../contract/flame-data.js";
import { KIND, type FunctionTable } from "../tables/function-table.js";
import { foldColumns } from "./frame-families.js";

/** Nodes of a graph: more could not be told apart on a screen, and the page gets all of them once a second. */
export const MAX_FLAME_NODES = 1 << 19;

/** A tree of functions before it has its final shape: parents before children, node 0 the root, no node without samples. */
export interface FunctionTree {
  readonly size: number;
  readonly parent: Uint32Array;
  /** Function index by node, and for groups the number of functions + that of the group; not of the root. */
  readonly functionIndex: Uint32Array;
  readonly self: Uint32Array;
  /** More than self and the totals of the children where children were left out. */
  readonly total: Uint32Array;
  /** Hottest line by node, 0 for unknown. */
  readonly line: Uint32Array;
  /** Most frames that became one at each node, 1 for none. */
  readonly levels: Uint16Array;
}

/** What the root shows. */
export interface TreeRoot {
  readonly name: string;
  /** -1: the root is no function. */
  readonly functionIndex: number;
}

/** What the first level is, when it is no functions. */
export interface TreeGroups {
  readonly groupedBy: GroupBy;
  readonly names: readonly string[];
}
export const NO_GROUPS: TreeGroups = { groupedBy: "none", names: [] };

/** What holds of every graph of a capture. */
export interface GraphFacts extends Pick<FlameData, "sequence" | "periodNs"> {
  /** Whether a function is the user's own code. */
  isOwn(functionIndex: number): boolean;
  /** Whether the page may fold native and kernel frames. */
  readonly folds: boolean;
}

/** What the nodes are called. */
interface TreeNames {
  readonly root: TreeRoot;
  readonly groups?: TreeGroups;
}
type KnownFunctions = Pick<FunctionTable, "count" | "facts">;

/** Puts a tree in the order of a flame graph: depth-first, siblings by samples, largest first. */
export function layOut(tree: FunctionTree, names: TreeNames, functions: KnownFunctions, facts: GraphFacts): FlameData {
  return layOutInOrder(tree, names, functions, facts).data;
}

/** The same, and for each node of the graph which one of the tree it is. */
export function layOutInOrder(
  tree: FunctionTree,
  { root, groups = NO_GROUPS }: TreeNames,
  functions: KnownFunctions,
  { sequence, periodNs, isOwn, folds }: GraphFacts,
): { readonly data: FlameData; readonly order: Uint32Array } {
  const { total } = tree;
  const children = childrenBySize(tree);
  const kept = tree.size;
  const nodes = {
    nodeFunction: new Uint32Array(kept),
    nodeParent: new Int32Array(kept),
    nodeDepth: new Uint16Array(kept),
    nodeStart: new Uint32Array(kept),
    nodeTotal: new Uint32Array(kept),
    nodeSelf: new Uint32Array(kept),
    nodeLine: new Uint32Array(kept),
    nodeLevels: new Uint16Array(kept),
  };
  const order = new Uint32Array(kept);
  const names = new FlameFunctions(functions, root, groups.names);
  // Depth-first without recursion: the waiting nodes are children in reverse order, so that the largest is taken first.
  const waiting = new Uint32Array(kept);
  const waitingParent = new Int32Array(kept);
  const nextStart = new Uint32Array(kept);
  let waits = 1;
  waitingParent[0] = -1;
  for (let at = 0; waits > 0; at++) {
    const node = waiting[--waits] as number;
    const parent = waitingParent[waits] as number;
    const start = parent < 0 ? 0 : (nextStart[parent] as number);
    const samples = total[node] as number;
    order[at] = node;
    nodes.nodeFunction[at] = node === 0 ? 0 : names.indexOf(tree.functionIndex[node] as number);
    nodes.nodeParent[at] = parent;
    nodes.nodeDepth[at] = parent < 0 ? 0 : (nodes.nodeDepth[parent] as number) + 1;
    nodes.nodeStart[at] = start;
    nodes.nodeTotal[at] = samples;
    nodes.nodeSelf[at] = tree.self[node] as number;
    nodes.nodeLine[at] = tree.line[node] as number;
    nodes.nodeLevels[at] = tree.levels[node] as number;
    nextStart[at] = start;
    if (parent >= 0) nextStart[parent] = start + samples;
    const first = children.first[node] as number;
    for (let child = (children.first[node + 1] as number) - 1; child >= first; child--) {
      waiting[waits] = children.order[child] as number;
      waitingParent[waits++] = at;
    }
  }
  return {
    data: {
      sequence,
      totalSamples: total[0] as number,
      periodNs,
      groupedBy: groups.groupedBy,
      ...names.tables(isOwn, folds),
      ...nodes,
    },
    order,
  };
}

/** The children of node n are `order[first[n]]` up to `order[first[n + 1]]`, largest first. */
function childrenBySize({ size, parent, total }: FunctionTree): { first: Uint32Array; order: Uint32Array } {
  const first = new Uint32Array(size + 1);
  for (let node = 1; node < size; node++)
    first[(parent[node] as number) + 1] = (first[(parent[node] as number) + 1] as number) + 1;
  for (let node = 0; node < size; node++) first[node + 1] = (first[node + 1] as number) + (first[node] as number);
  const order = new Uint32Array(first[size] as number);
  const next = first.slice();
  for (let node = 1; node < size; node++) {
    const at = next[parent[node] as number] as number;
    order[at] = node;
    next[parent[node] as number] = at + 1;
  }
  for (let node = 0; node < size; node++) sortBySize(order, first[node] as number, first[node + 1] as number, total);
  return { first, order };
}

/** Equal ones stay in the order in which they were first seen, so that a live graph does not flicker. */
function sortBySize(order: Uint32Array, start: number, end: number, total: Uint32Array): void {
  if (end - start < 2) return;
  if (end - start > 24) {
    order.subarray(start, end).sort((a, b) => (total[b] as number) - (total[a] as number) || a - b);
    return;
  }
  for (let at = start + 1; at < end; at++) {
    const node = order[at] as number;
    const samples = total[node] as number;
    let into = at;
    for (; into > start && (total[order[into - 1] as number] as number) < samples; into--)
      order[into] = order[into - 1] as number;
    order[into] = node;
  }
}

/** The functions that occur, numbered in the order of the graph; the root's is number 0. */
class FlameFunctions {
  readonly #functions: KnownFunctions;
  readonly #root: TreeRoot;
  readonly #groupNames: readonly string[];
  readonly #numbers: Uint32Array;
  readonly #indices: number[] = [];

  constructor(functions: KnownFunctions, root: TreeRoot, groupNames: readonly string[]) {
    this.#functions = functions;
    this.#root = root;
    this.#groupNames = groupNames;
    this.#numbers = new Uint32Array(functions.count + groupNames.length);
    if (root.functionIndex >= 0) this.#numbers[root.functionIndex] = 0;
  }

  indexOf(functionIndex: number): number {
    if (functionIndex === this.#root.functionIndex) return 0;
    let number = this.#numbers[functionIndex] as number;
    if (number === 0) {
      number = this.#indices.push(functionIndex);
      this.#numbers[functionIndex] = number;
    }
    return number;
  }

  tables(
    isOwn: (functionIndex: number) => boolean,
    folds: boolean,
  ): Pick<FlameData, "functionNames" | "functionKinds" | "functionIsOwn" | "functionFiles" | "functionHeadLines"> {
    const noFunction = (name: string) => ({ name, kind: "marker" as const, file: "", headLine: 0 });
    const factsOf = (index: number, name: string) => this.#functions.facts[index] ?? noFunction(name);
    const facts = [
      factsOf(this.#root.functionIndex, this.#root.name),
      ...this.#indices.map((index) => factsOf(index, this.#groupNames[index - this.#functions.count] ?? "")),
    ];
    return {
      functionNames: facts.map(({ name }) => name),
      functionKinds: Uint8Array.from(facts, ({ kind }) => KIND[kind]),
      functionIsOwn: Uint8Array.from([this.#root.functionIndex, ...this.#indices], (index) => (isOwn(index) ? 1 : 0)),
      functionFiles: facts.map(({ file }) => file),
      functionHeadLines: Uint32Array.from(facts, ({ headLine }) => headLine),
      ...(folds &&
        foldColumns([this.#root.functionIndex, ...this.#indices].map((index) => this.#functions.facts[index]))),
    };
  }
}
