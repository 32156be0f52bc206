export const FIRST_CAPACITY = 1024;
/** Up to so many numbers a list grows in larger steps: every step copies all of them. */
const SMALL = 1 << 23;

/** The plain data of a list, to be sent between threads. */
export type NumbersParts = Pick<GrowingNumbers, "data" | "length">;

/** A list of 32-bit unsigned numbers. Hot loops read `data` up to `length`; `data` changes when the list grows. */
export class GrowingNumbers {
  data: Uint32Array;
  length: number;

  /** @param from the capacity, or the same list as it came from another thread */
  constructor(from: number | NumbersParts = FIRST_CAPACITY) {
    this.data = typeof from === "number" ? new Uint32Array(from) : from.data;
    this.length = typeof from === "number" ? 0 : from.length;
  }

  push(value: number): void {
    if (this.length === this.data.length) this.reserve(this.length + 1);
    this.data[this.length++] = value;
  }

  /** Makes room for this many numbers; those not yet pushed are 0. */
  reserve(length: number): void {
    if (length <= this.data.length) return;
    const larger = new Uint32Array(capacityFor(length, this.data.length));
    larger.set(this.data.subarray(0, this.length));
    this.data = larger;
  }

  /** Extends the list to this length with zeros. */
  extendTo(length: number): void {
    this.reserve(length);
    if (length > this.length) this.length = length;
  }

  /** Removes all numbers from this length on. */
  cutTo(length: number): void {
    this.data.fill(0, length, this.length);
    this.length = length;
  }

  at(index: number): number {
    return this.data[index] as number;
  }
}

/** The next capacity of a list that is to have room for `length` numbers. */
export function capacityFor(length: number, capacity: number): number {
  return Math.max(length, capacity * (capacity < SMALL ? 4 : 2), FIRST_CAPACITY);
}
