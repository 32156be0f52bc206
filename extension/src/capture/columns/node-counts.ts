import { bitsBelow, bitsIn, isSet, set } from "./bits.js";

/** Samples of some of a tree's nodes, by node. These nodes take one number each, all others only a bit. */
export class NodeCounts {
  /** Counts before each word of `marks`. */
  readonly #before: Uint32Array;
  /** By the order of their nodes. */
  readonly counts: Uint32Array;

  /** All 0. @param marks a bit for each node, set for those that may have samples */
  constructor(
    readonly size: number,
    readonly marks: Uint32Array,
  ) {
    this.#before = new Uint32Array(marks.length);
    let marked = 0;
    for (let word = 0; word < marks.length; word++) {
      this.#before[word] = marked;
      marked += bitsIn(marks[word] as number);
    }
    this.counts = new Uint32Array(marked);
  }

  /** @param each calls its argument for each sample or sum of some; it is called twice and has to be the same both times */
  static of(size: number, each: (take: (node: number, count: number) => void) => void): NodeCounts {
    const marks = marksFor(size);
    each((node) => set(marks, node));
    const counts = new NodeCounts(size, marks);
    each((node, count) => counts.add(node, count));
    return counts;
  }

  /** All 0, of the nodes of a list, some of which may be there often. */
  static ofList(size: number, nodes: Uint32Array): NodeCounts {
    const marks = marksFor(size);
    for (const node of nodes) set(marks, node);
    return new NodeCounts(size, marks);
  }

  /** All 0, of the same nodes. */
  emptied(): NodeCounts {
    return new NodeCounts(this.size, this.marks);
  }

  /** The same, with room for the samples of further nodes. */
  withNodes(nodes: Uint32Array): NodeCounts {
    const marks = this.marks.slice();
    for (const node of nodes) set(marks, node);
    const more = new NodeCounts(this.size, marks);
    this.each((node, count) => more.add(node, count));
    return more;
  }

  has(node: number): boolean {
    return isSet(this.marks, node);
  }

  at(node: number): number {
    return this.has(node) ? (this.counts[this.#placeOf(node)] as number) : 0;
  }

  /** @param node one that is marked */
  add(node: number, count: number): void {
    const place = this.#placeOf(node);
    this.counts[place] = (this.counts[place] as number) + count;
  }

  /** Calls `take` for each node with samples, in the order of the nodes. */
  each(take: (node: number, count: number) => void): void {
    for (let word = 0, place = 0; word < this.marks.length; word++) {
      for (let rest = this.marks[word] as number; rest !== 0; rest &= rest - 1) {
        const count = this.counts[place++] as number;
        if (count !== 0) take(word * 32 + 31 - Math.clz32(rest & -rest), count);
      }
    }
  }

  #placeOf(node: number): number {
    return (this.#before[node >>> 5] as number) + bitsBelow(this.marks[node >>> 5] as number, node);
  }
}

function marksFor(size: number): Uint32Array {
  return new Uint32Array((size + 31) >>> 5);
}
