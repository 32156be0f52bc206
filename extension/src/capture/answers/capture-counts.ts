import type { SelfAndTotal } from "../../../../contract/capture-answers.js";
import { GrowingNumbers, type NumbersParts } from "../columns/growing-numbers.js";
import { NodeCounts } from "../columns/node-counts.js";
import type { LineCounts } from "../questions.js";
import { type FunctionTable, SOURCE } from "../tables/function-table.js";
import { isWorkClass } from "../tables/label-sets.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import { OUTERMOST_OF_FRAME, OUTERMOST_OF_FUNCTION } from "../tables/stack-trie.js";

/** Walking up from every new row is quicker than a pass over all nodes while there are so many times fewer rows. */
const FEW = 64;

export interface CaptureCountsParts {
  readonly samples: number;
  readonly busy: number;
  readonly labelSamples: NumbersParts;
  readonly functionSelf: NumbersParts;
  readonly functionTotal: NumbersParts;
  readonly frameSelf: NumbersParts;
  readonly frameTotal: NumbersParts;
  readonly rows: number;
}

/**
 * Counts of the whole capture, brought up to date with each increment in time that depends on the increment.
 *
 * Self: the nearest function with source (Erlang; in foreign profiles any with a file) owns the sample, whatever C code
 * or BIF it had called, unless the sample is bracketed: then functions between are unknown and no such function owns
 * it. Functions without source own the samples in which they are the leaf.
 * Total: anywhere in the stack, each sample once, also bracketed ones.
 */
export class CaptureCounts {
  samples: number;
  busy: number;
  readonly labelSamples: GrowingNumbers;
  readonly #functionSelf: GrowingNumbers;
  readonly #functionTotal: GrowingNumbers;
  readonly #frameSelf: GrowingNumbers;
  readonly #frameTotal: GrowingNumbers;
  #rows: number;
  #nodeSelf: { readonly rows: number; readonly counts: NodeCounts } | undefined;

  constructor(parts?: CaptureCountsParts) {
    this.samples = parts?.samples ?? 0;
    this.busy = parts?.busy ?? 0;
    this.labelSamples = new GrowingNumbers(parts?.labelSamples ?? 64);
    this.#functionSelf = new GrowingNumbers(parts?.functionSelf);
    this.#functionTotal = new GrowingNumbers(parts?.functionTotal);
    this.#frameSelf = new GrowingNumbers(parts?.frameSelf);
    this.#frameTotal = new GrowingNumbers(parts?.frameTotal);
    this.#rows = parts?.rows ?? 0;
  }

  parts(): CaptureCountsParts {
    const { samples, busy, labelSamples } = this;
    const ofFunctions = {
      functionSelf: this.#functionSelf,
      functionTotal: this.#functionTotal,
      frameSelf: this.#frameSelf,
      frameTotal: this.#frameTotal,
    };
    return { samples, busy, labelSamples, ...ofFunctions, rows: this.#rows };
  }

  /** Counts the rows that are new since the last call. */
  update(tables: ProfileTables): void {
    const { samples, stacks, labels } = tables;
    const from = this.#rows;
    const to = samples.length;
    this.#rows = to;
    this.#makeRoom(tables);
    const counts = samples.count.data;
    const labelSets = samples.labels.data;
    const classes = labels.class.data;
    const labelSamples = this.labelSamples.data;
    let all = 0;
    let busy = 0;
    for (let row = from; row < to; row++) {
      const count = counts[row] as number;
      const set = labelSets[row] as number;
      all += count;
      if (isWorkClass(classes[set] as number)) busy += count;
      add(labelSamples, set, count);
    }
    this.samples += all;
    this.busy += busy;
    if ((to - from) * FEW < stacks.size) this.#addEach(tables, from, to);
    else this.#addAll(tables, from, to);
  }

  /** Samples with exactly the stack of each node. Not to be changed. */
  nodeSelf(tables: ProfileTables): NodeCounts {
    if (this.#nodeSelf?.rows !== this.#rows)
      this.#nodeSelf = { rows: this.#rows, counts: selfOfRows(tables, 0, this.#rows) };
    return this.#nodeSelf.counts;
  }

  ofFunction(functionIndex: number): SelfAndTotal {
    if (functionIndex < 0 || functionIndex >= this.#functionTotal.length) return { self: 0, total: 0 };
    return { self: this.#functionSelf.at(functionIndex), total: this.#functionTotal.at(functionIndex) };
  }

  totalOf(functionIndex: number): number {
    return this.#functionTotal.at(functionIndex);
  }

  /** By line; samples whose line is unknown count for the function only. @param own samples of own code by frame */
  ofLines(functions: FunctionTable, functionIndex: number, own: Uint32Array): LineCounts[] {
    const lines: LineCounts[] = [];
    for (const frame of functions.framesOf(functionIndex)) {
      const line = functions.frames.second.at(frame);
      const total = this.#frameTotal.at(frame);
      if (line > 0 && total > 0)
        lines.push({ line, own: own[frame] as number, self: this.#frameSelf.at(frame), total });
    }
    return lines.sort((a, b) => a.line - b.line);
  }

  ofLine(functions: FunctionTable, functionIndex: number, line: number): SelfAndTotal {
    const frame = functions.frames.find(functionIndex, line);
    return frame < 0 ? { self: 0, total: 0 } : { self: this.#frameSelf.at(frame), total: this.#frameTotal.at(frame) };
  }

  #makeRoom({ labels, functions }: ProfileTables): void {
    this.labelSamples.extendTo(labels.size);
    this.#functionSelf.extendTo(functions.count);
    this.#functionTotal.extendTo(functions.count);
    this.#frameSelf.extendTo(functions.frames.size);
    this.#frameTotal.extendTo(functions.frames.size);
  }

  /** Row by row, each with its own way up. */
  #addEach(tables: ProfileTables, from: number, to: number): void {
    const { samples, stacks, labels } = tables;
    for (let row = from; row < to; row++) {
      const node = samples.node.at(row);
      const count = samples.count.at(row);
      this.#addToLeaf(tables, node, count);
      if (!labels.isBracketed(samples.labels.at(row))) this.#addToOwner(tables, stacks.nearest(node, SOURCE), count);
      this.#addTotals(tables, node, count);
    }
  }

  #addTotals({ stacks, functions }: ProfileTables, leaf: number, count: number): void {
    const frames = stacks.nodes.label.data;
    const frameFunction = functions.frames.first.data;
    for (let node = leaf; node !== 0; node = stacks.parentOf(node)) {
      const frame = frames[node] as number;
      if (stacks.isOutermost(node, OUTERMOST_OF_FRAME)) add(this.#frameTotal.data, frame, count);
      if (stacks.isOutermost(node, OUTERMOST_OF_FUNCTION))
        add(this.#functionTotal.data, frameFunction[frame] as number, count);
    }
  }

  /** Adds all rows at once: one pass from the leaves to the root for the totals, and one that ends at each owner. */
  #addAll(tables: ProfileTables, from: number, to: number): void {
    const { samples, stacks, labels, functions } = tables;
    const self = selfOfRows(tables, from, to);
    const unowned = self.emptied();
    for (let row = from; row < to; row++)
      if (!labels.isBracketed(samples.labels.at(row))) unowned.add(samples.node.at(row), samples.count.at(row));
    self.each((node, count) => this.#addToLeaf(tables, node, count));
    const frames = stacks.nodes.label.data;
    const frameFunction = functions.frames.first.data;
    const frameTotal = this.#frameTotal.data;
    const functionTotal = this.#functionTotal.data;
    stacks.nodes.eachTotal(self, (node, total) => {
      const frame = frames[node] as number;
      if (stacks.isOutermost(node, OUTERMOST_OF_FRAME)) add(frameTotal, frame, total);
      if (stacks.isOutermost(node, OUTERMOST_OF_FUNCTION)) add(functionTotal, frameFunction[frame] as number, total);
      return true;
    });
    const roles = functions.roles.data;
    stacks.nodes.eachTotal(unowned, (node, count) => {
      const isOwner = ((roles[frameFunction[frames[node] as number] as number] as number) & SOURCE) !== 0;
      if (isOwner) this.#addToOwner(tables, node, count);
      return !isOwner;
    });
  }

  #addToLeaf({ stacks, functions }: ProfileTables, node: number, count: number): void {
    if (node === 0) return;
    const frame = stacks.nodes.label.at(node);
    const leaf = functions.frames.first.at(frame);
    if ((functions.roles.at(leaf) & SOURCE) !== 0) return;
    add(this.#functionSelf.data, leaf, count);
    add(this.#frameSelf.data, frame, count);
  }

  #addToOwner({ stacks }: ProfileTables, node: number, count: number): void {
    if (node === 0) return;
    add(this.#functionSelf.data, stacks.functionOf(node), count);
    add(this.#frameSelf.data, stacks.nodes.label.at(node), count);
  }
}

function selfOfRows({ samples, stacks }: ProfileTables, from: number, to: number): NodeCounts {
  const nodes = samples.node.data;
  const counts = samples.count.data;
  const self = NodeCounts.ofList(stacks.size, nodes.subarray(from, to));
  for (let row = from; row < to; row++) self.add(nodes[row] as number, counts[row] as number);
  return self;
}

/** Sums cannot overflow: all samples together fit 32 bits. */
function add(numbers: Uint32Array, index: number, count: number): void {
  numbers[index] = (numbers[index] as number) + count;
}
