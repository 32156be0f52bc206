// The stacks a graph from the root on is made of: those of the capture as they are, or a copy for each group with the group in front.

import { LabelledTree } from "../columns/labelled-tree.js";
import { GrowingNumbers } from "../columns/growing-numbers.js";
import { NodeCounts } from "../columns/node-counts.js";
import { SteppedNumbers } from "../columns/stepped-numbers.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import type { StackTrie } from "../tables/stack-trie.js";
import type { GroupedSamples } from "./grouped-samples.js";

/** Nodes of the copies, so that no file can be made whose copies fill the memory. */
const MAX_COPIES = 1 << 23;

/** As `StackTrie`, with samples. */
export interface FlameStacks {
  /** Labels are the frames of the nodes from `firstFrame` on; those before are the root and the groups. */
  readonly nodes: LabelledTree;
  readonly firstFrame: number;
  pathOf(node: number): number;
  /** Labels are functions; the label of group g is the number of functions + g. */
  readonly paths: LabelledTree;
  /** Samples with exactly the stack of each node. */
  readonly self: NodeCounts;
  /** Samples of the root and of each group whose stacks are not here. */
  readonly leftOut: Uint32Array;
}

export function allStacks(stacks: StackTrie, self: NodeCounts): FlameStacks {
  const { nodes, paths } = stacks;
  return { nodes, firstFrame: 1, pathOf: (node) => stacks.pathOf(node), paths, self, leftOut: new Uint32Array(1) };
}

/** Every group has the stacks of its samples below it. */
export function stacksByGroup(
  { stacks, functions }: ProfileTables,
  grouped: GroupedSamples,
  most = MAX_COPIES,
): FlameStacks {
  const groups = grouped.values.length;
  const copies = new CopiedStacks(groups, functions.count);
  const leftOut = new Uint32Array(groups + 1);
  leftOut[0] = grouped.leftOut;
  /** Where the copy of a node is, when it was made for the group in question. */
  const copyOf = new Uint32Array(stacks.size);
  const madeFor = new Uint32Array(stacks.size);
  const missing: number[] = [];
  for (const group of bySamples(grouped)) {
    const groupNode = group + 1;
    for (let entry = grouped.first[group] as number; entry < (grouped.first[group + 1] as number); entry++) {
      missing.length = 0;
      let node = grouped.node[entry] as number;
      for (; node !== 0 && madeFor[node] !== groupNode; node = stacks.parentOf(node)) missing.push(node);
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
  readonly #nodes = new LabelledTree();
  readonly #paths = new LabelledTree();
  readonly #pathOfNode = new SteppedNumbers();
  readonly #firstFrame: number;

  constructor(groups: number, firstLabel: number) {
    this.#pathOfNode.push(0);
    for (let group = 0; group < groups; group++) this.#add(0, group, firstLabel + group);
    this.#firstFrame = this.size;
    this.self.extendTo(this.size);
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** A node that is not there yet. */
  add(parent: number, frame: number, functionIndex: number): number {
    const node = this.#add(parent, frame, functionIndex);
    this.self.push(0);
    return node;
  }

  finished(leftOut: Uint32Array): FlameStacks {
    const self = NodeCounts.of(this.size, (take) => {
      for (let node = 0; node < this.size; node++) if (this.self.at(node) !== 0) take(node, this.self.at(node));
    });
    return {
      nodes: this.#nodes,
      firstFrame: this.#firstFrame,
      pathOf: (node) => this.#pathOfNode.at(node),
      paths: this.#paths,
      self,
      leftOut,
    };
  }

  #add(parent: number, label: number, functionIndex: number): number {
    this.#pathOfNode.push(this.#paths.add(this.#pathOfNode.at(parent), functionIndex));
    return this.#nodes.addNew(parent, label);
  }
}

/** The largest group first: where there is no room for all, the smallest lose their stacks. */
function bySamples({ values, first, samples }: GroupedSamples): number[] {
  const totals = values.map((_, group) =>
    samples.subarray(first[group], first[group + 1]).reduce((sum, count) => sum + count, 0),
  );
  return totals.map((_, group) => group).sort((a, b) => (totals[b] as number) - (totals[a] as number) || a - b);
}
