import { GrowingNumbers, type NumbersParts } from "./growing-numbers.js";

/** How far ahead of the last id the next one may be and still go into the array: ids far apart must not make it larger than the file gives reason for. */
const MAX_GAP = 8;

export interface IdMapParts {
  readonly dense: NumbersParts;
  readonly sparse: Map<number, number>;
  readonly added: number[];
}

/** From the ids of a file, which may be any numbers, to positions in our own tables. Made for ids that count up from 1. */
export class IdMap {
  /** Position + 1 by id; 0 is unknown. */
  readonly #dense: GrowingNumbers;
  readonly #sparse: Map<number, number>;
  readonly #added: number[];

  constructor(parts?: IdMapParts) {
    this.#dense = new GrowingNumbers(parts?.dense);
    this.#sparse = parts?.sparse ?? new Map<number, number>();
    this.#added = parts?.added ?? [];
  }

  parts(): IdMapParts {
    return { dense: this.#dense, sparse: this.#sparse, added: this.#added };
  }

  /** Number of ids; see `cutTo`. */
  get size(): number {
    return this.#added.length;
  }

  /** False when the id has a position already. */
  add(id: number, position: number): boolean {
    if (this.get(id) >= 0) return false;
    if (id < this.#dense.length + MAX_GAP) {
      this.#dense.extendTo(id + 1);
      this.#dense.data[id] = position + 1;
    } else {
      this.#sparse.set(id, position);
    }
    this.#added.push(id);
    return true;
  }

  /** The position, -1 for an unknown id. */
  get(id: number): number {
    if (id < this.#dense.length) {
      const position = (this.#dense.data[id] as number) - 1;
      if (position >= 0 || this.#sparse.size === 0) return position;
    }
    return this.#sparse.get(id) ?? -1;
  }

  /** Forgets all but the ids added first. */
  cutTo(size: number): void {
    for (const id of this.#added.splice(size)) {
      if (!this.#sparse.delete(id)) this.#dense.data[id] = 0;
    }
  }
}
