import { GrowingNumbers } from "./growing-numbers.js";

const FIRST_SLOTS = 1024;
/** Parent and label of the root. */
const NOTHING = 0xffffffff;
/** So that no file can be made whose nodes all want the same slot. */
const SEED = (Math.random() * 0xffffffff) | 0;

/**
 * A tree in which the children of a node have different labels. Nodes are numbered as they are added, the root is 0, so parents have smaller numbers than their children.
 * Most nodes of stacks have one child: the first one is remembered with its parent, and only the others are looked up in a hash table.
 */
export class LabelledTree {
  readonly parent = new GrowingNumbers();
  readonly label = new GrowingNumbers();
  /** 0 for none. */
  readonly #firstChild = new GrowingNumbers();
  /** Nodes that are no first children; 0 is free. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  #inSlots = 0;

  constructor() {
    this.#push(NOTHING, NOTHING);
  }

  /** Number of nodes, the root included. */
  get size(): number {
    return this.parent.length;
  }

  /** The child with this label; the `size` before when it is new. */
  add(parent: number, label: number): number {
    const first = this.#firstChild.data[parent] as number;
    if (first === 0) {
      const node = this.#push(parent, label);
      this.#firstChild.data[parent] = node;
      return node;
    }
    const labels = this.label.data;
    if (labels[first] === label) return first;
    const parents = this.parent.data;
    let slot = mix(parent, label) & this.#mask;
    for (;;) {
      const node = this.#slots[slot] as number;
      if (node === 0) break;
      if (labels[node] === label && parents[node] === parent) return node;
      slot = (slot + 1) & this.#mask;
    }
    const node = this.#push(parent, label);
    this.#slots[slot] = node;
    if (++this.#inSlots * 2 > this.#mask) this.#rebuild((this.#mask + 1) * 2);
    return node;
  }

  /** Whether there is such a child. */
  has(parent: number, label: number): boolean {
    const first = this.#firstChild.data[parent] as number;
    if (first === 0) return false;
    if (this.label.data[first] === label) return true;
    for (let slot = mix(parent, label) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const node = this.#slots[slot] as number;
      if (node === 0) return false;
      if (this.label.data[node] === label && this.parent.data[node] === parent) return true;
    }
  }

  /** Forgets the nodes numbered `size` and up; not the root. */
  cutTo(size: number): void {
    if (size === this.size) return;
    for (let node = size; node < this.size; node++) {
      const parent = this.parent.at(node);
      if (parent < size && this.#firstChild.at(parent) === node) this.#firstChild.data[parent] = 0;
    }
    for (const column of [this.parent, this.label, this.#firstChild]) column.cutTo(size);
    this.#rebuild(this.#mask + 1);
  }

  #push(parent: number, label: number): number {
    const node = this.parent.length;
    this.parent.push(parent);
    this.label.push(label);
    this.#firstChild.push(0);
    return node;
  }

  #rebuild(slotCount: number): void {
    const slots = new Uint32Array(slotCount);
    const mask = slotCount - 1;
    let inSlots = 0;
    for (const node of this.#slots) {
      if (node === 0 || node >= this.size) continue;
      let slot = mix(this.parent.at(node), this.label.at(node)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = node;
      inSlots++;
    }
    this.#slots = slots;
    this.#mask = mask;
    this.#inSlots = inSlots;
  }
}

/** Spreads both numbers over all bits, so that counting up does not end up in a row of taken slots. */
function mix(first: number, second: number): number {
  let hash = Math.imul(first ^ SEED, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
