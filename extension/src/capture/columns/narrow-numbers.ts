import { capacityFor, FIRST_CAPACITY } from "./growing-numbers.js";

const MOST_NARROW = 0xffff;

export interface NarrowNumbersParts {
  readonly data: Uint16Array | Uint32Array;
  readonly length: number;
}

/** A list of unsigned numbers: of 16 bits each, until one of them needs 32. Hot loops read `data` up to `length`; `data` changes when the list grows. */
export class NarrowNumbers {
  data: Uint16Array | Uint32Array;
  length: number;

  constructor(parts?: NarrowNumbersParts) {
    this.data = parts?.data ?? new Uint16Array(FIRST_CAPACITY);
    this.length = parts?.length ?? 0;
  }

  push(value: number): void {
    if (this.length === this.data.length) this.reserve(this.length + 1);
    this.set(this.length++, value);
  }

  set(index: number, value: number): void {
    if (value > MOST_NARROW) this.#widen();
    this.data[index] = value;
  }

  /** Adds the numbers `from` up to `to` of a list. */
  pushAll(values: Uint32Array, from: number, to: number): void {
    this.reserve(this.length + to - from);
    let bits = 0;
    for (let at = from; at < to; at++) bits |= values[at] as number;
    if (bits >>> 0 > MOST_NARROW) this.#widen();
    const into = this.data;
    for (let at = from, place = this.length; at < to; at++, place++) into[place] = values[at] as number;
    this.length += to - from;
  }

  /** Makes room for this many numbers. */
  reserve(length: number): void {
    if (length <= this.data.length) return;
    const capacity = capacityFor(length, this.data.length);
    const larger = this.data instanceof Uint16Array ? new Uint16Array(capacity) : new Uint32Array(capacity);
    larger.set(this.data.subarray(0, this.length));
    this.data = larger;
  }

  /** Forgets the numbers behind this length. */
  cutTo(length: number): void {
    this.length = length;
  }

  at(index: number): number {
    return this.data[index] as number;
  }

  #widen(): Uint32Array {
    if (this.data instanceof Uint32Array) return this.data;
    const wide = new Uint32Array(this.data.length);
    wide.set(this.data);
    this.data = wide;
    return wide;
  }
}
