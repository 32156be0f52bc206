// The tree of a flame graph from the root to the leaves.

import { LabelledTree } from "../columns/labelled-tree.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import type { FlameStacks } from "./flame-stacks.js";
import { MAX_FLAME_NODES, type FunctionTree } from "./flame-layout.js";
import { hiddenFunctions, type Shape } from "./shape.js";

const NOT_SHOWN = -1;

/** All samples from the root on; with `middle`, only what that function and its callees take, and it is the root. */
export function calleeTree(tables: ProfileTables, stacks: FlameStacks, shape: Shape, middle = -1): FunctionTree {
  const shaped = shapePaths(tables, stacks.paths, shape, middle);
  const { tree, nodeOf } = shownTree(stacks, shaped);
  if (shaped.levels !== null) markLevels(tree.levels, shaped.levels, nodeOf, pathsWithSamples(stacks));
  return { ...tree, line: hottestLines(tables, stacks, nodeOf, tree.size, shaped.places === null) };
}

/** The nodes that are shown, and which one each path is. Columns of all paths take much memory: no more than are needed, and none for longer. */
function shownTree(stacks: FlameStacks, { places, tree: all }: ShapedPaths) {
  const placeOf = (node: number) => {
    const path = stacks.pathOf(node);
    return places === null ? path : (places[path] as number);
  };
  const total = totalByPlace(stacks, placeOf, all);
  const { kept, numbers } = largest(total, all);
  const tree = {
    size: kept,
    parent: new Uint32Array(kept),
    functionIndex: new Uint32Array(kept),
    self: new Uint32Array(kept),
    total: new Uint32Array(kept),
    levels: new Uint16Array(kept).fill(1),
  };
  for (let place = 0; place < all.size; place++) {
    const node = numbers[place] as number;
    if (node === NOT_SHOWN) continue;
    tree.parent[node] = place === 0 ? 0 : (numbers[all.parentOf(place)] as number);
    tree.functionIndex[node] = all.label.at(place);
    tree.total[node] = total[place] as number;
  }
  stacks.self.each((node, count) => {
    const place = placeOf(node);
    const shown = place === NOT_SHOWN ? NOT_SHOWN : (numbers[place] as number);
    if (shown !== NOT_SHOWN) tree.self[shown] = (tree.self[shown] as number) + count;
  });
  if (places === null) return { tree, nodeOf: numbers };
  for (let path = 0; path < places.length; path++) {
    const place = places[path] as number;
    places[path] = place === NOT_SHOWN ? NOT_SHOWN : (numbers[place] as number);
  }
  return { tree, nodeOf: places };
}

function totalByPlace(stacks: FlameStacks, placeOf: (node: number) => number, tree: LabelledTree): Uint32Array {
  const total = new Uint32Array(tree.size);
  const add = (node: number, samples: number) => {
    const place = placeOf(node);
    if (place !== NOT_SHOWN) total[place] = (total[place] as number) + samples;
  };
  stacks.self.each(add);
  for (let node = 0; node < stacks.leftOut.length; node++) add(node, stacks.leftOut[node] as number);
  for (let place = tree.size - 1; place > 0; place--) {
    const samples = total[place] as number;
    if (samples === 0) continue;
    const parent = tree.parentOf(place);
    total[parent] = (total[parent] as number) + samples;
  }
  return total;
}

interface ShapedPaths {
  /** By path; null: every path in its own. Changed to the shown nodes once they are known. */
  readonly places: Int32Array | null;
  readonly levels: Uint16Array | null;
  /** Of the places; labels are functions. */
  readonly tree: LabelledTree;
}

/** Where each path ends up, and the tree of those places. */
function shapePaths(tables: ProfileTables, paths: LabelledTree, shape: Shape, middle: number): ShapedPaths {
  const isPlain = !shape.hideKernel && !shape.hideNative && !shape.collapseRecursion && middle < 0;
  if (isPlain) return { places: null, levels: null, tree: paths };
  // Groups are behind its end, and never hidden.
  const isHidden = hiddenFunctions(tables, shape);
  // How many frames of its function each path has at its place so far.
  const levels = new Uint16Array(paths.size);
  const tree = new LabelledTree();
  const places = new Int32Array(paths.size);
  places[0] = middle < 0 ? 0 : NOT_SHOWN;
  for (let path = 1; path < places.length; path++) {
    const functionIndex = paths.label.at(path);
    const parent = paths.parentOf(path);
    const above = places[parent] as number;
    const levelsAbove = levels[parent] as number;
    levels[path] = 1;
    if (above === NOT_SHOWN) places[path] = functionIndex === middle ? 0 : NOT_SHOWN;
    else if (isHidden[functionIndex]) {
      places[path] = above;
      levels[path] = levelsAbove;
    } else if (shape.collapseRecursion && functionIndex === (above === 0 ? middle : tree.label.at(above))) {
      places[path] = above;
      levels[path] = levelsAbove + 1;
    } else places[path] = tree.add(above, functionIndex);
  }
  return { places, levels: shape.collapseRecursion ? levels : null, tree };
}

/** For each node the most frames that became one there, in the stacks that have samples. */
function markLevels(deepest: Uint16Array, levels: Uint16Array, nodeOf: Int32Array, withSamples: Uint8Array): void {
  for (let path = 1; path < nodeOf.length; path++) {
    const node = nodeOf[path] as number;
    if (node !== NOT_SHOWN && withSamples[path] === 1 && (levels[path] as number) > (deepest[node] as number))
      deepest[node] = levels[path] as number;
  }
}

/** 1 for each path that is the whole or the beginning of a stack with samples. */
function pathsWithSamples({ self, paths, pathOf }: FlameStacks): Uint8Array {
  const withSamples = new Uint8Array(paths.size);
  self.each((node) => (withSamples[pathOf(node)] = 1));
  for (let path = withSamples.length - 1; path > 0; path--)
    if (withSamples[path] === 1) withSamples[paths.parentOf(path)] = 1;
  return withSamples;
}

/** New numbers for the places that are kept: all that have samples, or as many of the largest as fit. A parent is never smaller than its children, so it is kept with them. */
function largest(total: Uint32Array, tree: LabelledTree): { kept: number; numbers: Int32Array } {
  const { size } = tree;
  const numbers = new Int32Array(size).fill(NOT_SHOWN);
  const { least, ofLeast } = leastKept(total, size);
  let kept = 0;
  let room = ofLeast;
  for (let place = 0; place < size; place++) {
    const samples = total[place] as number;
    if (place > 0 && (samples < least || numbers[tree.parentOf(place)] === NOT_SHOWN)) continue;
    if (place > 0 && samples === least && room-- <= 0) continue;
    numbers[place] = kept++;
  }
  return { kept, numbers };
}

/** The total from which on places are kept, and how many of those with exactly it. */
function leastKept(total: Uint32Array, size: number): { least: number; ofLeast: number } {
  let count = 0;
  for (let place = 0; place < size; place++) if (total[place] !== 0) count++;
  if (count <= MAX_FLAME_NODES) return { least: 1, ofLeast: count };
  let low = 1;
  let high = total[0] as number;
  const atLeast = (samples: number) => {
    let places = 0;
    for (let place = 0; place < size; place++) if ((total[place] as number) >= samples) places++;
    return places;
  };
  // The largest total that still lets too many through.
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if (atLeast(middle) > MAX_FLAME_NODES) low = middle;
    else high = middle - 1;
  }
  return { least: low, ofLeast: MAX_FLAME_NODES - atLeast(low + 1) };
}

/**
 * For each node of the shown tree the line with most samples, over all stacks that come together there.
 * @param isPlain no frame is shown as its caller's
 */
function hottestLines(
  { functions }: ProfileTables,
  stacks: FlameStacks,
  nodeOf: Int32Array,
  size: number,
  isPlain: boolean,
): Uint32Array {
  const { nodes, pathOf, firstFrame } = stacks;
  const frames = nodes.label.data;
  /** Calls `take` for each frame that is shown with the node of the graph that shows it; twice instead of columns of all of them. */
  const eachShown = (take: (shown: number, frame: number, samples: number) => void) =>
    nodes.eachTotal(stacks.self, (node, samples) => {
      if (node < firstFrame) return true;
      const shown = nodeOf[pathOf(node)] as number;
      if (shown === NOT_SHOWN) return true;
      // A frame shown as its caller's node is hidden or a repetition: its line is not the one shown there.
      if (isPlain || shown !== nodeOf[pathOf(nodes.parentOf(node))]) take(shown, frames[node] as number, samples);
      return true;
    });
  const first = new Uint32Array(size + 1);
  eachShown((shown) => (first[shown + 1] = (first[shown + 1] as number) + 1));
  for (let shown = 0; shown < size; shown++) first[shown + 1] = (first[shown + 1] as number) + (first[shown] as number);
  const shownFrame = new Uint32Array(first[size] as number);
  const shownSamples = new Uint32Array(first[size] as number);
  const next = first.slice();
  eachShown((shown, frame, count) => {
    const at = next[shown] as number;
    shownFrame[at] = frame;
    shownSamples[at] = count;
    next[shown] = at + 1;
  });
  const samples = new Uint32Array(functions.frames.size);
  const frameLine = functions.frames.second.data;
  const lines = new Uint32Array(size);
  for (let shown = 0; shown < size; shown++) {
    const start = first[shown] as number;
    const end = first[shown + 1] as number;
    if (end - start === 1) {
      lines[shown] = frameLine[shownFrame[start] as number] as number;
      continue;
    }
    let most = 0;
    for (let at = start; at < end; at++) {
      const frame = shownFrame[at] as number;
      const count = (samples[frame] as number) + (shownSamples[at] as number);
      samples[frame] = count;
      const line = frameLine[frame] as number;
      if (line === 0 || count < most || (count === most && line < (lines[shown] as number))) continue;
      most = count;
      lines[shown] = line;
    }
    for (let at = start; at < end; at++) samples[shownFrame[at] as number] = 0;
  }
  return lines;
}
