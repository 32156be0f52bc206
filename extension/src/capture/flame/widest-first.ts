import type { GrowingNumbers } from "../columns/growing-numbers.js";

/** A queue of nodes from which the one with the largest total comes first. */
export class WidestFirst {
  readonly #total: GrowingNumbers;
  readonly #heap: number[] = [];

  /** The totals of nodes in the queue must not change. */
  constructor(total: GrowingNumbers) {
    this.#total = total;
  }

  get size(): number {
    return this.#heap.length;
  }

  push(node: number): void {
    const heap = this.#heap;
    const total = this.#total.at(node);
    let at = heap.push(node) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.#total.at(heap[above] as number) >= total) break;
      heap[at] = heap[above] as number;
      at = above;
    }
    heap[at] = node;
  }

  /** Not to be called when it is empty. */
  pop(): number {
    const heap = this.#heap;
    const widest = heap[0] as number;
    const last = heap.pop() as number;
    const total = this.#total.at(last);
    const size = heap.length;
    if (size === 0) return widest;
    let at = 0;
    for (;;) {
      let below = at * 2 + 1;
      if (below >= size) break;
      if (below + 1 < size && this.#total.at(heap[below + 1] as number) > this.#total.at(heap[below] as number))
        below++;
      if (this.#total.at(heap[below] as number) <= total) break;
      heap[at] = heap[below] as number;
      at = below;
    }
    heap[at] = last;
    return widest;
  }
}
