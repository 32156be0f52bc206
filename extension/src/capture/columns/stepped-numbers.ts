import { SparseNumbers, type SparseNumbersParts } from "./sparse-numbers.js";

export interface SteppedNumbersParts {
  readonly steps: SparseNumbersParts;
  readonly length: number;
}

/** A list of 32-bit numbers most of which are one more than the number before: how far a number is from its own place is kept only where that changes. */
export class SteppedNumbers {
  readonly #steps: SparseNumbers;
  #length: number;

  constructor(parts?: SteppedNumbersParts) {
    this.#steps = new SparseNumbers(parts?.steps);
    this.#length = parts?.length ?? 0;
  }

  parts(): SteppedNumbersParts {
    return { steps: this.#steps.parts(), length: this.#length };
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    const place = this.#length++;
    const step = (value - place) >>> 0;
    const { numbers } = this.#steps;
    if (numbers.length === 0 || numbers.data[numbers.length - 1] !== step) this.#steps.push(place, step);
  }

  /** Adds so many numbers, each one more than the one before. */
  pushRun(first: number, count: number): void {
    if (count === 0) return;
    this.push(first);
    this.#length += count - 1;
  }

  at(place: number): number {
    return (place + (this.#steps.numbers.data[this.#steps.countBefore(place + 1) - 1] as number)) >>> 0;
  }

  /** Forgets this place and all behind it. */
  cutTo(place: number): void {
    this.#steps.cutTo(place);
    this.#length = place;
  }
}
