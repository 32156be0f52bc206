import { Bits, bitsBelow } from "./bits.js";
import { GrowingNumbers, type NumbersParts } from "./growing-numbers.js";

export interface SparseNumbersParts {
  readonly places: NumbersParts;
  readonly before: NumbersParts;
  readonly numbers: NumbersParts;
}

/** Numbers at some of many places, added in the order of the places: a bit for each place and, end to end, the numbers. */
export class SparseNumbers {
  readonly places: Bits;
  /** How many numbers are before each word of `places`. */
  readonly #before: GrowingNumbers;
  readonly numbers: GrowingNumbers;

  constructor(parts?: SparseNumbersParts) {
    this.places = new Bits(parts?.places);
    this.#before = new GrowingNumbers(parts?.before ?? 64);
    this.numbers = new GrowingNumbers(parts?.numbers ?? 64);
  }

  parts(): SparseNumbersParts {
    return { places: this.places.parts(), before: this.#before, numbers: this.numbers };
  }

  /** @param place behind all that have a number */
  push(place: number, number: number): void {
    const word = place >>> 5;
    while (this.#before.length <= word) this.#before.push(this.numbers.length);
    this.places.add(place);
    this.numbers.push(number);
  }

  /** How many places before this one have a number. */
  countBefore(place: number): number {
    const word = place >>> 5;
    if (word >= this.#before.length) return this.numbers.length;
    return (this.#before.data[word] as number) + bitsBelow(this.places.words.data[word] as number, place);
  }

  /** The number of a place that has one. */
  at(place: number): number {
    return this.numbers.data[this.countBefore(place)] as number;
  }

  /** Forgets the numbers of this place and all behind it. */
  cutTo(place: number): void {
    this.numbers.cutTo(this.countBefore(place));
    this.places.cutTo(place);
    this.#before.cutTo(Math.min(this.#before.length, (place + 31) >>> 5));
  }
}
