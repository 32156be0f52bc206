// The stacks a graph from the root on is made of: those of the capture as they are, or a copy for each group with the group in front.

import { LabelledTree } from "../columns/labelled-tree.js";
import { GrowingNumbers } from "../columns/growing-numbers.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import { FLAG_BITS, type StackTrie } from "../tables/stack-trie.js";
import type { GroupedSamples } from "./grouped-samples.js";

/** Nodes of the copies, so that no file can be made whose copies fill the memory. */
const MAX_COPIES = 1 << 23;

/** As `StackTrie`, with samples. */
export interface FlameStacks {
  readonly size: number;
  readonly parent: Uint32Array;
  /** Of the nodes from `firstFrame` on; those before are the root and the groups. */
  readonly frame: Uint32Array;
  readonly firstFrame: number;
  /** `path << FLAG_BITS` by node, with or without flags. */
  readonly pathsAndFlags: Uint32Array;
  /** Labels are functions; the label of group g is the number of functions + g. */
  readonly paths: LabelledTree;
  /** Samples with exactly the stack of each node. */
  readonly self: Uint32Array;
  /** Samples of the root and of each group whose stacks are not here. */
  readonly leftOut: Uint32Array;
}

export function allStacks(stacks: StackTrie, self: Uint32Array): FlameStacks {
  const { nodes, paths, pathsAndFlags } = stacks;
  return { size: self.length, parent: nodes.parent.data, frame: nodes.label.data, firstFrame: 1, pathsAndFlags, paths, self, leftOut: new Uint32Array(1) };
}

/** Every group has the stacks of its samples below it. */
export function stacksByGroup({ stacks, functions }: ProfileTables, grouped: GroupedSamples, most = MAX_COPIES): FlameStacks {
  const groups = grouped.values.length;
  const copies = new CopiedStacks(groups, functions.count);
  const leftOut = new Uint32Array(groups + 1);
  leftOut[0] = grouped.leftOut;
  const parents = stacks.nodes.parent.data;
  /** Where the copy of a node is, when it was made for the group in question. */
  const copyOf = new Uint32Array(stacks.size);
  const madeFor = new Uint32Array(stacks.size);
  const missing: number[] = [];
  for (const group of bySamples(grouped)) {
    const groupNode = group + 1;
    for (let entry = grouped.first[group] as number; entry < (grouped.first[group + 1] as number); entry++) {
      missing.length = 0;
      let node = grouped.node[entry] as number;
      for (; node !== 0 && madeFor[node] !== groupNode; node = parents[node] as number) missing.push(node);
      const samples = grouped.samples[entry] as number;
      if (copies.size + missing.length > most) {
        leftOut[groupNode] = (leftOut[groupNode] as number) + samples;
        continue;
      }
      let copy = node === 0 ? groupNode : (copyOf[node] as number);
      for (let original = missing.pop(); original !== undefined; original = missing.pop()) {
        copy = copies.add(copy, stacks.nodes.label.at(original), stacks.functionOf(original));
        copyOf[original] = copy;
        madeFor[original] = groupNode;
      }
      copies.self.data[copy] = copies.self.at(copy) + samples;
    }
  }
  return copies.finished(leftOut);
}

class CopiedStacks {
  readonly self = new GrowingNumbers();
  readonly #parent = new GrowingNumbers();
  readonly #frame = new GrowingNumbers();
  readonly #pathsAndFlags = new GrowingNumbers();
  readonly #paths = new LabelledTree();
  readonly #firstFrame: number;

  constructor(groups: number, firstLabel: number) {
    this.#push(0, 0, 0);
    for (let group = 0; group < groups; group++) this.#push(0, 0, this.#paths.add(0, firstLabel + group));
    this.#firstFrame = this.size;
  }

  get size(): number {
    return this.self.length;
  }

  add(parent: number, frame: number, functionIndex: number): number {
    return this.#push(parent, frame, this.#paths.add(this.#pathsAndFlags.at(parent) >>> FLAG_BITS, functionIndex));
  }

  finished(leftOut: Uint32Array): FlameStacks {
    const { size } = this;
    const data = (column: GrowingNumbers) => column.data.subarray(0, size);
    return {
      size,
      parent: data(this.#parent),
      frame: data(this.#frame),
      firstFrame: this.#firstFrame,
      pathsAndFlags: data(this.#pathsAndFlags),
      paths: this.#paths,
      self: data(this.self),
      leftOut,
    };
  }

  #push(parent: number, frame: number, path: number): number {
    this.#parent.push(parent);
    this.#frame.push(frame);
    this.#pathsAndFlags.push(path << FLAG_BITS);
    this.self.push(0);
    return this.size - 1;
  }
}

/** The largest group first: where there is no room for all, the smallest lose their stacks. */
function bySamples({ values, first, samples }: GroupedSamples): number[] {
  const totals = values.map((_, group) => samples.subarray(first[group], first[group + 1]).reduce((sum, count) => sum + count, 0));
  return totals.map((_, group) => group).sort((a, b) => (totals[b] as number) - (totals[a] as number) || a - b);
}
