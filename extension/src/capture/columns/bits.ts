import { GrowingNumbers, type NumbersParts } from "./growing-numbers.js";

/** One bit for each place from 0 on. */
export class Bits {
  /** 32 places each. */
  readonly words: GrowingNumbers;

  constructor(parts?: NumbersParts) {
    this.words = new GrowingNumbers(parts ?? 64);
  }

  parts(): NumbersParts {
    return this.words;
  }

  has(place: number): boolean {
    return isSet(this.words.data, place);
  }

  add(place: number): void {
    const word = place >>> 5;
    if (word >= this.words.length) this.words.extendTo(word + 1);
    set(this.words.data, place);
  }

  /** Forgets this place and all behind it. */
  cutTo(place: number): void {
    const word = place >>> 5;
    if (word >= this.words.length) return;
    this.words.data[word] = (this.words.data[word] as number) & ~(-1 << (place & 31));
    this.words.cutTo(word + 1);
  }
}

/** Whether the bit of this place is set, 32 places in a word. */
export function isSet(words: Uint32Array, place: number): boolean {
  return (((words[place >>> 5] as number) >>> (place & 31)) & 1) !== 0;
}

/** Sets the bit of this place. */
export function set(words: Uint32Array, place: number): void {
  words[place >>> 5] = (words[place >>> 5] as number) | (1 << (place & 31));
}

/** How many bits of a word are set below the bit of this place. */
export function bitsBelow(word: number, place: number): number {
  let bits = word & ~(-1 << (place & 31));
  bits -= (bits >>> 1) & 0x55555555;
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** How many bits of a word are set. */
export function bitsIn(word: number): number {
  return bitsBelow(word, 31) + (word >>> 31);
}
