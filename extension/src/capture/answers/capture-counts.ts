import type { SelfAndTotal } from "../../../../contract/capture-answers.js";
import { GrowingNumbers, type NumbersParts } from "../columns/growing-numbers.js";
import type { LineCounts } from "../questions.js";
import { type FunctionTable, SOURCE } from "../tables/function-table.js";
import { IDLE_CLASS } from "../tables/label-sets.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import { OUTERMOST_OF_FRAME, OUTERMOST_OF_FUNCTION } from "../tables/stack-trie.js";

/** Walking up from every new row is quicker than a pass over all nodes while there are so many times fewer rows. */
const FEW = 64;

export interface CaptureCountsParts {
  readonly samples: number;
  readonly busy: number;
  readonly nodeSelf: NumbersParts;
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
 * Self: the nearest function with source (Erlang; in foreign profiles any with a file) owns the sample, whatever C code or BIF it had called,
 * unless the sample is bracketed: then functions between are unknown and nobody owns it. Functions without source own what they are the leaf of.
 * Total: anywhere in the stack, each sample once, also bracketed ones.
 */
export class CaptureCounts {
  samples: number;
  busy: number;
  /** Samples with exactly the stack of each node. */
  readonly nodeSelf: GrowingNumbers;
  readonly labelSamples: GrowingNumbers;
  readonly #functionSelf: GrowingNumbers;
  readonly #functionTotal: GrowingNumbers;
  readonly #frameSelf: GrowingNumbers;
  readonly #frameTotal: GrowingNumbers;
  #rows: number;

  constructor(parts?: CaptureCountsParts) {
    this.samples = parts?.samples ?? 0;
    this.busy = parts?.busy ?? 0;
    this.nodeSelf = new GrowingNumbers(parts?.nodeSelf);
    this.labelSamples = new GrowingNumbers(parts?.labelSamples ?? 64);
    this.#functionSelf = new GrowingNumbers(parts?.functionSelf);
    this.#functionTotal = new GrowingNumbers(parts?.functionTotal);
    this.#frameSelf = new GrowingNumbers(parts?.frameSelf);
    this.#frameTotal = new GrowingNumbers(parts?.frameTotal);
    this.#rows = parts?.rows ?? 0;
  }

  parts(): CaptureCountsParts {
    const { samples, busy, nodeSelf, labelSamples } = this;
    const ofFunctions = { functionSelf: this.#functionSelf, functionTotal: this.#functionTotal, frameSelf: this.#frameSelf, frameTotal: this.#frameTotal };
    return { samples, busy, nodeSelf, labelSamples, ...ofFunctions, rows: this.#rows };
  }

  /** Counts the rows that are new since the last call. */
  update(tables: ProfileTables): void {
    const { samples, stacks, labels, functions } = tables;
    const from = this.#rows;
    const to = samples.length;
    this.#rows = to;
    this.#makeRoom(tables);
    const nodes = samples.node.data;
    const counts = samples.count.data;
    const labelSets = samples.labels.data;
    const classes = labels.class.data;
    const nodeSelf = this.nodeSelf.data;
    for (let row = from; row < to; row++) {
      const node = nodes[row] as number;
      const count = counts[row] as number;
      const set = labelSets[row] as number;
      this.samples += count;
      if (classes[set] !== IDLE_CLASS) this.busy += count;
      add(this.labelSamples.data, set, count);
      add(nodeSelf, node, count);
      if (node === 0) continue;
      const leafFrame = stacks.nodes.label.data[node] as number;
      const leaf = functions.frames.first.data[leafFrame] as number;
      if (((functions.roles.data[leaf] as number) & SOURCE) === 0) {
        add(this.#functionSelf.data, leaf, count);
        add(this.#frameSelf.data, leafFrame, count);
      }
      if (labels.isBracketed(set)) continue;
      const owner = stacks.nearest(node, SOURCE);
      if (owner === 0) continue;
      add(this.#functionSelf.data, stacks.functionOf(owner), count);
      add(this.#frameSelf.data, stacks.nodes.label.at(owner), count);
    }
    if ((to - from) * FEW < stacks.size) for (let row = from; row < to; row++) this.#addTotals(tables, nodes[row] as number, counts[row] as number);
    else this.#addAllTotals(tables, from, to);
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
      if (line > 0 && total > 0) lines.push({ line, own: own[frame] as number, self: this.#frameSelf.at(frame), total });
    }
    return lines.sort((a, b) => a.line - b.line);
  }

  ofLine(functions: FunctionTable, functionIndex: number, line: number): SelfAndTotal {
    const frame = functions.frames.find(functionIndex, line);
    return frame < 0 ? { self: 0, total: 0 } : { self: this.#frameSelf.at(frame), total: this.#frameTotal.at(frame) };
  }

  #makeRoom({ stacks, labels, functions }: ProfileTables): void {
    this.nodeSelf.extendTo(stacks.size);
    this.labelSamples.extendTo(labels.size);
    this.#functionSelf.extendTo(functions.count);
    this.#functionTotal.extendTo(functions.count);
    this.#frameSelf.extendTo(functions.frames.size);
    this.#frameTotal.extendTo(functions.frames.size);
  }

  #addTotals({ stacks, functions }: ProfileTables, leaf: number, count: number): void {
    const parents = stacks.nodes.parent.data;
    const frames = stacks.nodes.label.data;
    const flags = stacks.pathsAndFlags;
    const frameFunction = functions.frames.first.data;
    for (let node = leaf; node !== 0; node = parents[node] as number) {
      const frame = frames[node] as number;
      const flag = flags[node] as number;
      if ((flag & OUTERMOST_OF_FRAME) !== 0) add(this.#frameTotal.data, frame, count);
      if ((flag & OUTERMOST_OF_FUNCTION) !== 0) add(this.#functionTotal.data, frameFunction[frame] as number, count);
    }
  }

  #addAllTotals(tables: ProfileTables, from: number, to: number): void {
    const { samples, stacks, functions } = tables;
    const totals = new Uint32Array(stacks.size);
    for (let row = from; row < to; row++) add(totals, samples.node.at(row), samples.count.at(row));
    const parents = stacks.nodes.parent.data;
    const frames = stacks.nodes.label.data;
    const flags = stacks.pathsAndFlags;
    const frameFunction = functions.frames.first.data;
    for (let node = totals.length - 1; node > 0; node--) {
      const total = totals[node] as number;
      if (total === 0) continue;
      add(totals, parents[node] as number, total);
      const frame = frames[node] as number;
      const flag = flags[node] as number;
      if ((flag & OUTERMOST_OF_FRAME) !== 0) add(this.#frameTotal.data, frame, total);
      if ((flag & OUTERMOST_OF_FUNCTION) !== 0) add(this.#functionTotal.data, frameFunction[frame] as number, total);
    }
  }
}

/** Sums cannot overflow: all samples together fit 32 bits. */
function add(numbers: Uint32Array, index: number, count: number): void {
  numbers[index] = (numbers[index] as number) + count;
}
