import { GrowingNumbers, type NumbersParts } from "./growing-numbers.js";

const FIRST_SLOTS = 1024;
/** Parent and label of the root. */
const NOTHING = 0xffffffff;
/** Numbers of a slot: node, its parent and its label, so that one look at memory decides. */
const SLOT = 4;

export interface LabelledTreeParts {
  readonly parent: NumbersParts;
  readonly label: NumbersParts;
  readonly firstChild: NumbersParts;
  readonly slots: Uint32Array;
  readonly inSlots: number;
  readonly seed: number;
}

/**
 * A tree in which the children of a node have different labels. Nodes are numbered as they are added, the root is 0, so parents have smaller numbers than their children.
 * Most nodes of stacks have one child: the first one is remembered with its parent, and only the others are looked up in a hash table.
 */
export class LabelledTree {
  readonly parent: GrowingNumbers;
  readonly label: GrowingNumbers;
  /** For each node its first child, 0 for none, and the label of that. */
  readonly #firstChild: GrowingNumbers;
  /** Nodes that are no first children; node 0 is free. */
  #slots: Uint32Array;
  #mask: number;
  #inSlots: number;
  /** So that no file can be made whose nodes all want the same slot. */
  readonly #seed: number;

  constructor(parts?: LabelledTreeParts) {
    this.parent = new GrowingNumbers(parts?.parent);
    this.label = new GrowingNumbers(parts?.label);
    this.#firstChild = new GrowingNumbers(parts?.firstChild);
    this.#slots = parts?.slots ?? new Uint32Array(FIRST_SLOTS * SLOT);
    this.#mask = this.#slots.length / SLOT - 1;
    this.#inSlots = parts?.inSlots ?? 0;
    this.#seed = parts?.seed ?? (Math.random() * 0xffffffff) | 0;
    if (!parts) this.#push(NOTHING, NOTHING);
  }

  parts(): LabelledTreeParts {
    return { parent: this.parent, label: this.label, firstChild: this.#firstChild, slots: this.#slots, inSlots: this.#inSlots, seed: this.#seed };
  }

  /** Number of nodes, the root included. */
  get size(): number {
    return this.parent.length;
  }

  /** The child with this label; the `size` before when it is new. */
  add(parent: number, label: number): number {
    return this.find(parent, label) || this.#addNew(parent, label);
  }

  /** The child with this label; 0, which is nobody's child, when there is none. */
  find(parent: number, label: number): number {
    const firstChild = this.#firstChild.data;
    const first = firstChild[parent * 2] as number;
    if (first === 0 || firstChild[parent * 2 + 1] === label) return first;
    const slots = this.#slots;
    for (let slot = this.#slotFor(parent, label); ; slot = (slot + 1) & this.#mask) {
      const at = slot * SLOT;
      const node = slots[at] as number;
      if (node === 0 || (slots[at + 1] === parent && slots[at + 2] === label)) return node;
    }
  }

  /** Adds nodes each below the one before, the first below `parent`, which has no child with its label. They are numbered from the `size` before on. */
  addChain(parent: number, chain: Uint32Array, from: number, to: number): void {
    const size = this.size + to - from;
    this.parent.reserve(size);
    this.label.reserve(size);
    this.#firstChild.reserve(size * 2);
    let node = this.#addNew(parent, chain[from] as number);
    const parents = this.parent.data;
    const labels = this.label.data;
    const firstChild = this.#firstChild.data;
    for (let at = from + 1; at < to; at++) {
      const label = chain[at] as number;
      firstChild[node * 2] = node + 1;
      firstChild[node * 2 + 1] = label;
      parents[node + 1] = node;
      node++;
      labels[node] = label;
    }
    this.parent.length = size;
    this.label.length = size;
    this.#firstChild.length = size * 2;
  }

  /** Forgets the nodes numbered `size` and up; not the root. */
  cutTo(size: number): void {
    if (size === this.size) return;
    for (let node = size; node < this.size; node++) {
      const parent = this.parent.at(node);
      if (parent < size && this.#firstChild.at(parent * 2) === node) this.#firstChild.data.fill(0, parent * 2, parent * 2 + 2);
    }
    this.parent.cutTo(size);
    this.label.cutTo(size);
    this.#firstChild.cutTo(size * 2);
    this.#rebuild(this.#mask + 1);
  }

  #addNew(parent: number, label: number): number {
    const node = this.#push(parent, label);
    const firstChild = this.#firstChild.data;
    if (firstChild[parent * 2] === 0) {
      firstChild[parent * 2] = node;
      firstChild[parent * 2 + 1] = label;
      return node;
    }
    this.#putInSlot(node, parent, label);
    if (++this.#inSlots * 2 > this.#mask) this.#rebuild((this.#mask + 1) * 2);
    return node;
  }

  #push(parent: number, label: number): number {
    const node = this.parent.length;
    this.parent.push(parent);
    this.label.push(label);
    this.#firstChild.extendTo(node * 2 + 2);
    return node;
  }

  #putInSlot(node: number, parent: number, label: number): void {
    let slot = this.#slotFor(parent, label);
    while (this.#slots[slot * SLOT] !== 0) slot = (slot + 1) & this.#mask;
    this.#slots[slot * SLOT] = node;
    this.#slots[slot * SLOT + 1] = parent;
    this.#slots[slot * SLOT + 2] = label;
  }

  #rebuild(slotCount: number): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(slotCount * SLOT);
    this.#mask = slotCount - 1;
    this.#inSlots = 0;
    for (let at = 0; at < before.length; at += SLOT) {
      const node = before[at] as number;
      if (node === 0 || node >= this.size) continue;
      this.#putInSlot(node, before[at + 1] as number, before[at + 2] as number);
      this.#inSlots++;
    }
  }

  /** Spreads both numbers over all bits, so that counting up does not end up in a row of taken slots. */
  #slotFor(parent: number, label: number): number {
    let hash = Math.imul(parent ^ this.#seed, 0x9e3779b1) ^ Math.imul(label, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return (hash ^ (hash >>> 13)) & this.#mask;
  }
}
