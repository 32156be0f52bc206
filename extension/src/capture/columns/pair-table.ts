import { GrowingNumbers, type NumbersParts } from "./growing-numbers.js";

const FIRST_SLOTS = 2048;
const SMALL_SLOTS = 1 << 22;

export interface PairTableParts {
  readonly first: NumbersParts;
  readonly second: NumbersParts;
  readonly slots: Int32Array;
  readonly seed: number;
}

/** Numbers pairs of 32-bit numbers from 0 in the order in which they are first seen. Open addressing in typed arrays: millions of pairs cost 8 bytes each and as much again for the slots. */
export class PairTable {
  readonly first: GrowingNumbers;
  readonly second: GrowingNumbers;
  /** Pair number + 1; 0 is free. */
  #slots: Int32Array;
  #mask: number;
  /** So that no file can be made whose pairs all want the same slot. */
  readonly #seed: number;

  constructor(parts?: PairTableParts) {
    this.first = new GrowingNumbers(parts?.first);
    this.second = new GrowingNumbers(parts?.second);
    this.#slots = parts?.slots ?? new Int32Array(FIRST_SLOTS);
    this.#mask = this.#slots.length - 1;
    this.#seed = parts?.seed ?? (Math.random() * 0xffffffff) | 0;
  }

  parts(): PairTableParts {
    return { first: this.first, second: this.second, slots: this.#slots, seed: this.#seed };
  }

  get size(): number {
    return this.first.length;
  }

  /** The number of a pair; `size` as it was before when the pair is new. */
  add(first: number, second: number): number {
    const firsts = this.first.data;
    const seconds = this.second.data;
    let slot = mix(this.#seed, first, second) & this.#mask;
    for (;;) {
      const pair = (this.#slots[slot] as number) - 1;
      if (pair < 0) break;
      if (firsts[pair] === first && seconds[pair] === second) return pair;
      slot = (slot + 1) & this.#mask;
    }
    const pair = this.first.length;
    this.first.push(first);
    this.second.push(second);
    this.#slots[slot] = pair + 1;
    if (pair * 2 > this.#mask) this.#grow();
    return pair;
  }

  /** The number of a pair, -1 when it is not there. */
  find(first: number, second: number): number {
    let slot = mix(this.#seed, first, second) & this.#mask;
    for (;;) {
      const pair = (this.#slots[slot] as number) - 1;
      if (pair < 0 || (this.first.data[pair] === first && this.second.data[pair] === second)) return pair;
      slot = (slot + 1) & this.#mask;
    }
  }

  /** Forgets the pairs numbered `size` and up. */
  cutTo(size: number): void {
    if (size === this.size) return;
    this.first.cutTo(size);
    this.second.cutTo(size);
    this.#rebuild(this.#mask + 1);
  }

  /** In large steps while that costs little memory: every step puts all pairs into new slots. */
  #grow(): void {
    const slotCount = this.#mask + 1;
    this.#rebuild(slotCount * (slotCount < SMALL_SLOTS ? 4 : 2));
  }

  #rebuild(slotCount: number): void {
    const slots = new Int32Array(slotCount);
    const mask = slotCount - 1;
    const firsts = this.first.data;
    const seconds = this.second.data;
    for (let pair = 0; pair < this.first.length; pair++) {
      let slot = mix(this.#seed, firsts[pair] as number, seconds[pair] as number) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = pair + 1;
    }
    this.#slots = slots;
    this.#mask = mask;
  }
}

/** Spreads both numbers over all bits, so that counting up does not end up in a row of taken slots. */
function mix(seed: number, first: number, second: number): number {
  let hash = Math.imul(first ^ seed, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
