import { GrowingNumbers } from "../columns/growing-numbers.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import type { SampleRows } from "../tables/sample-rows.js";
import type { SampleSelection } from "./sample-selection.js";

/** Samples of own code. */
export interface OwnCounts {
  readonly functions: Uint32Array;
  readonly frames: Uint32Array;
  readonly samples: number;
}

/** Counts, and the state of the capture that they are of. */
interface KnownCounts {
  readonly marks: number;
  readonly rows: number;
  readonly counts: OwnCounts;
}

/**
 * Which functions are the user's own code, and their counts: a sample counts for its innermost frame of own code,
 * including everything called from there.
 * In bracketed samples the frames between are unknown, and with them the innermost one: these samples count for no
 * function.
 */
export class OwnCode {
  /** 1 for own code, by function. */
  readonly #isOwn = new GrowingNumbers(64);
  #marks = 0;
  /** Of each type, by its samples. */
  readonly #counted = new Map<SampleRows, KnownCounts>();
  #owners: { readonly marks: number; readonly nodes: Uint32Array } | undefined;

  add(functionIndexes: Iterable<number>, functionCount: number): boolean {
    const before = this.#marks;
    this.#isOwn.extendTo(functionCount);
    for (const index of functionIndexes) {
      if (index < 0 || index >= functionCount || this.#isOwn.at(index) !== 0) continue;
      this.#isOwn.data[index] = 1;
      this.#marks++;
    }
    return this.#marks !== before;
  }

  forget(): void {
    if (this.isEmpty) return;
    this.#isOwn.cutTo(0);
    this.#marks = 0;
    this.#counted.clear();
    this.#owners = undefined;
  }

  get isEmpty(): boolean {
    return this.#marks === 0;
  }

  has(functionIndex: number): boolean {
    return functionIndex >= 0 && functionIndex < this.#isOwn.length && this.#isOwn.at(functionIndex) !== 0;
  }

  /** The innermost node of own code of each stack; 0 when there is none. Not to be changed. */
  owners({ stacks, functions }: ProfileTables): Uint32Array {
    const known = this.#owners;
    const size = stacks.size;
    if (known?.marks === this.#marks && known.nodes.length === size) return known.nodes;
    const nodes = new Uint32Array(size);
    this.#owners = { marks: this.#marks, nodes };
    if (this.isEmpty) return nodes;
    this.#isOwn.extendTo(functions.count);
    const isOwn = this.#isOwn.data;
    const frames = stacks.nodes.label.data;
    const frameFunction = functions.frames.first.data;
    for (let node = 1; node < size; node++) {
      nodes[node] = isOwn[frameFunction[frames[node] as number] as number]
        ? node
        : (nodes[stacks.parentOf(node)] as number);
    }
    return nodes;
  }

  /** Of the whole capture; counted anew only when there is something new. */
  counts(tables: ProfileTables, everything: SampleSelection): OwnCounts {
    const { samples } = tables;
    const rows = samples.length;
    const known = this.#counted.get(samples);
    const hasPlaces =
      known !== undefined &&
      known.counts.functions.length === tables.functions.count &&
      known.counts.frames.length === tables.functions.frames.size;
    if (hasPlaces && known.marks === this.#marks && known.rows === rows) return known.counts;
    const counts = this.countsOf(tables, everything);
    this.#counted.set(samples, { marks: this.#marks, rows, counts });
    return counts;
  }

  /** Of some samples. */
  countsOf(tables: ProfileTables, selection: SampleSelection): OwnCounts {
    const { functions, stacks, labels } = tables;
    const ofFunction = new Uint32Array(functions.count);
    const ofFrame = new Uint32Array(functions.frames.size);
    let samples = 0;
    if (this.isEmpty) return { functions: ofFunction, frames: ofFrame, samples };
    const owners = this.owners(tables);
    const frames = stacks.nodes.label.data;
    const frameFunction = functions.frames.first.data;
    selection.each((node, labelSet, count) => {
      const owner = owners[node] as number;
      if (owner === 0 || labels.isBracketed(labelSet)) return;
      const frame = frames[owner] as number;
      const functionIndex = frameFunction[frame] as number;
      ofFrame[frame] = (ofFrame[frame] as number) + count;
      ofFunction[functionIndex] = (ofFunction[functionIndex] as number) + count;
      samples += count;
    });
    return { functions: ofFunction, frames: ofFrame, samples };
  }
}
