// From stacks to the tree a flame graph shows.

import { KIND } from "./function-table.js";
import type { FunctionTree } from "./flame-layout.js";
import { GrowingNumbers } from "./growing-numbers.js";
import { LabelledTree } from "./labelled-tree.js";
import { PairTable } from "./pair-table.js";
import type { ProfileTables } from "./profile-tables.js";
import type { FlameOptions } from "./questions.js";
import { totalsOf } from "./sample-selection.js";
import { FLAG_BITS, OUTERMOST_OF_FUNCTION } from "./stack-trie.js";

type Shape = Omit<FlameOptions, "inverted">;

/** A tree with leaves for roots can have a node for every frame of every stack. With so many, frames far from the leaf are left out and their samples stay with the last one shown. */
const MAX_INVERTED_NODES = 1 << 23;
const NOT_SHOWN = -1;

/** Root to leaf. With `middle`, only what that function and its callees take, and it is the root. */
export function calleeTree(tables: ProfileTables, nodeSelf: Uint32Array, shape: Shape, middle = -1): FunctionTree {
  const { stacks } = tables;
  const shaped = shapePaths(tables, shape, middle);
  const self = new Uint32Array(shaped.tree.size);
  const pathsAndFlags = stacks.pathsAndFlags;
  for (let node = 0; node < nodeSelf.length; node++) {
    const count = nodeSelf[node] as number;
    if (count === 0) continue;
    const into = shaped.nodeOf((pathsAndFlags[node] as number) >>> FLAG_BITS);
    if (into !== NOT_SHOWN) self[into] = (self[into] as number) + count;
  }
  const line = hottestLines(tables, totalsOf(stacks, nodeSelf), shaped.nodeOf, shaped.tree.size);
  return { ...shaped.tree, self, line };
}

/** Leaf to root. With `middle`, from its callers to the root, and it is the root of the tree. */
export function callerTree(tables: ProfileTables, nodeSelf: Uint32Array, shape: Shape, middle = -1): FunctionTree {
  const { stacks, functions } = tables;
  const isHidden = hiddenFunctions(tables, shape);
  const tree = new LabelledTree();
  const self = new GrowingNumbers();
  self.push(0);
  const lines = new PairTable();
  const lineSamples = new GrowingNumbers();
  const weights = middle < 0 ? nodeSelf : totalsOf(stacks, nodeSelf);
  const parents = stacks.nodes.parent.data;
  const frames = stacks.nodes.label.data;
  const frameFunction = functions.frames.first.data;
  for (let leaf = 0; leaf < weights.length; leaf++) {
    const count = weights[leaf] as number;
    if (count === 0) continue;
    if (middle >= 0 && !(leaf !== 0 && stacks.functionOf(leaf) === middle && stacks.isOutermost(leaf, OUTERMOST_OF_FUNCTION))) continue;
    let into = 0;
    let last = -1;
    for (let node = leaf; node !== 0; node = parents[node] as number) {
      const frame = frames[node] as number;
      const functionIndex = frameFunction[frame] as number;
      if (node === leaf && middle >= 0) {
        last = middle;
      } else {
        if (isHidden[functionIndex] || (shape.collapseRecursion && functionIndex === last)) continue;
        if (tree.size >= MAX_INVERTED_NODES && !tree.has(into, functionIndex)) break;
        into = tree.add(into, functionIndex);
        last = functionIndex;
      }
      const line = lines.add(into, frame);
      lineSamples.extendTo(lines.size);
      lineSamples.data[line] = (lineSamples.data[line] as number) + count;
    }
    self.extendTo(tree.size);
    self.data[into] = (self.data[into] as number) + count;
  }
  return { size: tree.size, parent: tree.parent.data, functionIndex: tree.label.data, self: self.data, line: hottestOf(tables, lines, lineSamples, tree.size) };
}

/** Paths as they are shown: where each one ends up, and the tree of those places. */
function shapePaths(tables: ProfileTables, shape: Shape, middle: number): { nodeOf: (path: number) => number; tree: Omit<FunctionTree, "self" | "line"> } {
  const { paths } = tables.stacks;
  const isPlain = !shape.hideKernel && !shape.hideNative && !shape.collapseRecursion && middle < 0;
  if (isPlain) return { nodeOf: (path) => path, tree: { size: paths.size, parent: paths.parent.data, functionIndex: paths.label.data } };
  const isHidden = hiddenFunctions(tables, shape);
  const tree = new LabelledTree();
  const nodes = new Int32Array(paths.size);
  nodes[0] = middle < 0 ? 0 : NOT_SHOWN;
  for (let path = 1; path < nodes.length; path++) {
    const functionIndex = paths.label.data[path] as number;
    const parent = nodes[paths.parent.data[path] as number] as number;
    if (parent === NOT_SHOWN) nodes[path] = functionIndex === middle ? 0 : NOT_SHOWN;
    else if (isHidden[functionIndex]) nodes[path] = parent;
    else if (shape.collapseRecursion && functionIndex === (parent === 0 ? middle : tree.label.data[parent])) nodes[path] = parent;
    else nodes[path] = tree.add(parent, functionIndex);
  }
  return { nodeOf: (path) => nodes[path] as number, tree: { size: tree.size, parent: tree.parent.data, functionIndex: tree.label.data } };
}

/** Hidden functions lend their samples to their caller: C code of the runtime and of NIFs, the JIT's shared fragments, the kernel. BIFs stay. */
function hiddenFunctions({ functions, description }: ProfileTables, { hideNative, hideKernel }: Shape): Uint8Array {
  const isOwn = description?.facts.isOwn ?? false;
  return Uint8Array.from(functions.facts, ({ kind, file }) => {
    if (KIND[kind] === KIND.kernel) return Number(hideKernel);
    const isNative = kind === "native" || kind === "nif" || kind === "fragment";
    return Number(hideNative && isNative && (isOwn || file === ""));
  });
}

/** For each node of the shown tree the line with most samples, over all stacks that come together there. */
function hottestLines(tables: ProfileTables, nodeTotals: Uint32Array, nodeOf: (path: number) => number, size: number): Uint32Array {
  const { stacks, functions } = tables;
  const pathsAndFlags = stacks.pathsAndFlags;
  const parents = stacks.nodes.parent.data;
  const places = new Int32Array(nodeTotals.length).fill(NOT_SHOWN);
  const first = new Uint32Array(size + 1);
  for (let node = 1; node < places.length; node++) {
    if (nodeTotals[node] === 0) continue;
    const place = nodeOf((pathsAndFlags[node] as number) >>> FLAG_BITS);
    // A frame that shares its parent's place is hidden or a repetition: its line is not the one shown there.
    if (place === NOT_SHOWN || place === nodeOf((pathsAndFlags[parents[node] as number] as number) >>> FLAG_BITS)) continue;
    places[node] = place;
    first[place + 1] = (first[place + 1] as number) + 1;
  }
  for (let place = 0; place < size; place++) first[place + 1] = (first[place + 1] as number) + (first[place] as number);
  const order = new Uint32Array(first[size] as number);
  const next = first.slice();
  for (let node = 1; node < places.length; node++) {
    const place = places[node] as number;
    if (place === NOT_SHOWN) continue;
    order[next[place] as number] = node;
    next[place] = (next[place] as number) + 1;
  }
  const samples = new Uint32Array(functions.frames.size);
  const frames = stacks.nodes.label.data;
  const frameLine = functions.frames.second.data;
  const lines = new Uint32Array(size);
  for (let place = 0; place < size; place++) {
    const start = first[place] as number;
    const end = first[place + 1] as number;
    if (end - start === 1) {
      lines[place] = frameLine[frames[order[start] as number] as number] as number;
      continue;
    }
    let most = 0;
    for (let at = start; at < end; at++) {
      const node = order[at] as number;
      const frame = frames[node] as number;
      const count = (samples[frame] as number) + (nodeTotals[node] as number);
      samples[frame] = count;
      const line = frameLine[frame] as number;
      if (line === 0 || count < most || (count === most && line < (lines[place] as number))) continue;
      most = count;
      lines[place] = line;
    }
    for (let at = start; at < end; at++) samples[frames[order[at] as number] as number] = 0;
  }
  return lines;
}

function hottestOf({ functions }: ProfileTables, lines: PairTable, samples: GrowingNumbers, size: number): Uint32Array {
  const hottest = new Uint32Array(size);
  const most = new Uint32Array(size);
  for (let pair = 0; pair < lines.size; pair++) {
    const node = lines.first.at(pair);
    const line = functions.frames.second.at(lines.second.at(pair));
    const count = samples.at(pair);
    if (line === 0 || count < (most[node] as number) || (count === most[node] && line < (hottest[node] as number))) continue;
    most[node] = count;
    hottest[node] = line;
  }
  return hottest;
}
