import { tooMany } from "../capture-error.js";
import { GrowingNumbers, type NumbersParts } from "../columns/growing-numbers.js";
import { NarrowNumbers, type NarrowNumbersParts } from "../columns/narrow-numbers.js";
import { MAX_SAMPLES } from "../limits.generated.js";

/** Counts, and so every sum of them, fit 32 bits. */
const MAX_TOTAL = 0xffffffff;

const MAX_BUCKET_MS = 0xffffffff;

/** A time after the start, when the start moves; it stays within 32 bits. */
export function laterBy(bucketMs: number, ms: number): number {
  return Math.min(bucketMs + ms, MAX_BUCKET_MS);
}

export interface SampleRowsParts {
  readonly node: NumbersParts;
  readonly labels: NarrowNumbersParts;
  readonly bucketMs: NumbersParts;
  readonly count: NarrowNumbersParts;
  readonly total: number;
  readonly lastBucketMs: number;
  readonly counted: number;
  readonly remainder: number;
}

/** What `rollBack` restores. */
interface RowsMark {
  readonly rows: number;
  readonly total: number;
  readonly lastBucketMs: number;
  readonly remainder: number;
}

/** The samples: how many had this stack and these labels in this bucket of time. Equal neighbours are one row; the writer merges the others. */
export class SampleRows {
  readonly node: GrowingNumbers;
  readonly labels: NarrowNumbers;
  /** Start of the bucket, milliseconds after the start of the capture. */
  readonly bucketMs: GrowingNumbers;
  readonly count: NarrowNumbers;
  #total: number;
  #lastBucketMs: number;
  /** Rows before this one have been counted and stay as they are. */
  #counted: number;
  /** Left over by dividing the values before. */
  #remainder: number;

  constructor(parts?: SampleRowsParts) {
    this.node = new GrowingNumbers(parts?.node);
    this.labels = new NarrowNumbers(parts?.labels);
    this.bucketMs = new GrowingNumbers(parts?.bucketMs);
    this.count = new NarrowNumbers(parts?.count);
    this.#total = parts?.total ?? 0;
    this.#lastBucketMs = parts?.lastBucketMs ?? 0;
    this.#counted = parts?.counted ?? 0;
    this.#remainder = parts?.remainder ?? 0;
  }

  parts(): SampleRowsParts {
    const { node, labels, bucketMs, count } = this;
    return {
      node,
      labels,
      bucketMs,
      count,
      total: this.#total,
      lastBucketMs: this.#lastBucketMs,
      counted: this.#counted,
      remainder: this.#remainder,
    };
  }

  get length(): number {
    return this.count.length;
  }

  get lastBucketMs(): number {
    return this.#lastBucketMs;
  }

  /** How often a value has the divisor in it; with the remainder of the values before, so that sums are right to one. */
  scaled(value: number, divisor: number): number {
    if (divisor === 1) return value;
    const sum = value + this.#remainder;
    const scaled = Math.floor(sum / divisor);
    this.#remainder = sum - scaled * divisor;
    return scaled;
  }

  add(node: number, labels: number, bucketMs: number, count: number): void {
    if (count === 0) return;
    if (this.#total + count > MAX_TOTAL) throw tooMany("samples", MAX_TOTAL);
    if (bucketMs > this.#lastBucketMs) this.#lastBucketMs = bucketMs;
    const last = this.count.length - 1;
    if (
      last >= this.#counted &&
      this.node.data[last] === node &&
      this.labels.data[last] === labels &&
      this.bucketMs.data[last] === bucketMs
    ) {
      this.count.set(last, this.count.at(last) + count);
      this.#total += count;
      return;
    }
    if (last + 1 >= MAX_SAMPLES) throw tooMany("sample records", MAX_SAMPLES);
    this.node.push(node);
    this.labels.push(labels);
    this.bucketMs.push(bucketMs);
    this.count.push(count);
    this.#total += count;
  }

  /** All samples were that much later after a start that is now earlier. */
  startEarlier(ms: number): void {
    for (let row = 0; row < this.length; row++) this.bucketMs.data[row] = laterBy(this.bucketMs.at(row), ms);
    this.#lastBucketMs = laterBy(this.#lastBucketMs, ms);
  }

  mark(): RowsMark {
    this.#counted = this.length;
    return {
      rows: this.length,
      total: this.#total,
      lastBucketMs: this.#lastBucketMs,
      remainder: this.#remainder,
    };
  }

  rollBack(mark: RowsMark): void {
    for (const column of [this.node, this.labels, this.bucketMs, this.count]) column.cutTo(mark.rows);
    this.#total = mark.total;
    this.#lastBucketMs = mark.lastBucketMs;
    this.#remainder = mark.remainder;
  }
}
