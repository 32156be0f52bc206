// A tree of frames while it grows, and then in the order of a flame graph. Columns of numbers: a graph may have half a million frames, and is made anew each second.

import type { FlameData } from "../../contract/flame-data.js";

type NodeColumns = Pick<
  FlameData,
  "nodeFunction" | "nodeParent" | "nodeDepth" | "nodeStart" | "nodeTotal" | "nodeSelf"
>;

export class ShownTree {
  #size = 1;
  #parent: Int32Array;
  #label: Uint32Array;
  #total: Float64Array;
  #self: Uint32Array;
  /** Nodes by parent and label; 0 for none. Its length is a power of two. */
  #slots: Int32Array;

  /** @param expected how many nodes there may be; more are no fault */
  constructor(expected: number) {
    const room = expected + 1;
    this.#parent = new Int32Array(room).fill(-1);
    this.#label = new Uint32Array(room);
    this.#total = new Float64Array(room);
    this.#self = new Uint32Array(room);
    this.#slots = new Int32Array(slotsFor(room));
  }

  child(parent: number, label: number): number {
    if (this.#size === this.#parent.length) this.#grow();
    const slots = this.#slots;
    let slot = slotOf(parent, label, slots.length);
    for (let node = slots[slot] as number; node !== 0; node = slots[slot] as number) {
      if (this.#parent[node] === parent && this.#label[node] === label) return node;
      slot = (slot + 1) & (slots.length - 1);
    }
    const node = this.#size++;
    slots[slot] = node;
    this.#parent[node] = parent;
    this.#label[node] = label;
    return node;
  }

  parentOf(node: number): number {
    return this.#parent[node] as number;
  }

  hasLabelFrom(node: number, label: number): boolean {
    return (this.#label[node] as number) >= label;
  }

  count(node: number, own: number, self: number): void {
    this.#total[node] = (this.#total[node] as number) + own;
    this.#self[node] = (this.#self[node] as number) + self;
  }

  /** Labels from below the root to the node. */
  path(node: number): number[] {
    const labels: number[] = [];
    for (let at = node; at > 0; at = this.#parent[at] as number) labels.push(this.#label[at] as number);
    return labels.reverse();
  }

  /** Depth-first, siblings by samples, largest first; `places`: where each node is in it. To be called once: it sums up. */
  inOrder(): { readonly order: Uint32Array; readonly columns: NodeColumns; readonly places: Uint32Array } {
    const size = this.#size;
    const total = this.#total;
    for (let node = size - 1; node > 0; node--) {
      const parent = this.#parent[node] as number;
      total[parent] = (total[parent] as number) + (total[node] as number);
    }
    const { first, children } = this.#childrenBySize();
    const [order, places, nextStart] = [new Uint32Array(size), new Uint32Array(size), new Uint32Array(size)];
    const columns: NodeColumns = {
      nodeFunction: new Uint32Array(size),
      nodeParent: new Int32Array(size).fill(-1),
      nodeDepth: new Uint16Array(size),
      nodeStart: new Uint32Array(size),
      nodeTotal: new Uint32Array(size),
      nodeSelf: new Uint32Array(size),
    };
    // The children of a node wait in reverse, so that the largest is taken first.
    const waiting = new Uint32Array(size);
    for (let at = 0, waits = 1; waits > 0; at++) {
      const node = waiting[--waits] as number;
      const samples = total[node] as number;
      order[at] = node;
      places[node] = at;
      if (node > 0) {
        const parent = places[this.#parent[node] as number] as number;
        columns.nodeParent[at] = parent;
        columns.nodeDepth[at] = (columns.nodeDepth[parent] as number) + 1;
        columns.nodeStart[at] = nextStart[parent] as number;
        nextStart[parent] = (nextStart[parent] as number) + samples;
      }
      nextStart[at] = columns.nodeStart[at] as number;
      columns.nodeFunction[at] = this.#label[node] as number;
      columns.nodeTotal[at] = samples;
      columns.nodeSelf[at] = this.#self[node] as number;
      const end = first[node] as number;
      for (let child = (first[node + 1] as number) - 1; child >= end; child--)
        waiting[waits++] = children[child] as number;
    }
    return { order, columns, places };
  }

  /** The children of node n are `children[first[n]]` up to `children[first[n + 1]]`, largest first. */
  #childrenBySize(): { readonly first: Uint32Array; readonly children: Uint32Array } {
    const size = this.#size;
    const first = new Uint32Array(size + 1);
    for (let node = 1; node < size; node++) {
      const after = (this.#parent[node] as number) + 1;
      first[after] = (first[after] as number) + 1;
    }
    for (let node = 0; node < size; node++) first[node + 1] = (first[node + 1] as number) + (first[node] as number);
    const next = first.slice();
    const children = new Uint32Array(first[size] as number);
    for (let node = 1; node < size; node++) {
      const parent = this.#parent[node] as number;
      const at = next[parent] as number;
      next[parent] = at + 1;
      children[at] = node;
    }
    const bySize = (a: number, b: number) => (this.#total[b] as number) - (this.#total[a] as number) || a - b;
    for (let node = 0; node < size; node++) {
      const [start, end] = [first[node] as number, first[node + 1] as number];
      if (end - start > 1) children.subarray(start, end).sort(bySize);
    }
    return { first, children };
  }

  #grow(): void {
    const room = this.#parent.length * 2;
    const larger = <T extends Int32Array | Uint32Array | Float64Array>(made: T, before: T): T => {
      made.set(before);
      return made;
    };
    this.#parent = larger(new Int32Array(room), this.#parent);
    this.#label = larger(new Uint32Array(room), this.#label);
    this.#total = larger(new Float64Array(room), this.#total);
    this.#self = larger(new Uint32Array(room), this.#self);
    const slots = new Int32Array(slotsFor(room));
    for (let node = 1; node < this.#size; node++) {
      let slot = slotOf(this.#parent[node] as number, this.#label[node] as number, slots.length);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = node;
    }
    this.#slots = slots;
  }
}

/** At least twice as many as nodes, so that a free one is near. */
function slotsFor(room: number): number {
  return 2 ** Math.ceil(Math.log2(room * 2));
}

function slotOf(parent: number, label: number, slots: number): number {
  const mixed = Math.imul(parent ^ Math.imul(label, 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) & (slots - 1);
}
