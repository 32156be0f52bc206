const FIRST_CAPACITY = 1024;

/** A list of 32-bit unsigned numbers. Hot loops read `data` up to `length`; `data` changes when the list grows. */
export class GrowingNumbers {
  data: Uint32Array;
  length = 0;

  constructor(capacity = FIRST_CAPACITY) {
    this.data = new Uint32Array(capacity);
  }

  push(value: number): void {
    if (this.length === this.data.length) this.reserve(this.length + 1);
    this.data[this.length++] = value;
  }

  /** Makes room for this many numbers; those not yet pushed are 0. */
  reserve(length: number): void {
    if (length <= this.data.length) return;
    const larger = new Uint32Array(Math.max(length, this.data.length * 2, FIRST_CAPACITY));
    larger.set(this.data.subarray(0, this.length));
    this.data = larger;
  }

  /** As long as that, with zeros for what is new. */
  extendTo(length: number): void {
    this.reserve(length);
    if (length > this.length) this.length = length;
  }

  /** Forgets what was pushed behind this length. */
  cutTo(length: number): void {
    this.data.fill(0, length, this.length);
    this.length = length;
  }

  at(index: number): number {
    return this.data[index] as number;
  }
}
