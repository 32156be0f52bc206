import { GrowingNumbers } from "./growing-numbers.js";

const FIRST_SLOTS = 2048;
const SMALL_SLOTS = 1 << 22;

/** Numbers pairs of 32-bit numbers from 0 in the order in which they are first seen. Open addressing in typed arrays: millions of pairs cost 8 bytes each and as much again for the slots. */
export class PairTable {
  readonly first = new GrowingNumbers();
  readonly second = new GrowingNumbers();
  /** Pair number + 1; 0 is free. */
  #slots = new Int32Array(FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;

  get size(): number {
    return this.first.length;
  }

  /** The number of a pair; `size` as it was before when the pair is new. */
  add(first: number, second: number): number {
    const firsts = this.first.data;
    const seconds = this.second.data;
    let slot = mix(first, second) & this.#mask;
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
    let slot = mix(first, second) & this.#mask;
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
      let slot = mix(firsts[pair] as number, seconds[pair] as number) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = pair + 1;
    }
    this.#slots = slots;
    this.#mask = mask;
  }
}

/** So that no file can be made whose pairs all want the same slot. */
const SEED = (Math.random() * 0xffffffff) | 0;

/** Spreads both numbers over all bits, so that counting up does not end up in a row of taken slots. */
function mix(first: number, second: number): number {
  let hash = Math.imul(first ^ SEED, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
