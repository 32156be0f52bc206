import { GrowingNumbers, type NumbersParts } from "./growing-numbers.js";

const FIRST_SLOTS = 1024;
/** Parent and label of the root. */
const NOTHING = 0xffffffff;
/** Numbers of a slot: node, its parent and its label, so that one look at memory decides. */
const SLOT = 4;

export interface LabelledTreeParts {
  readonly parent: NumbersParts;
  readonly label: NumbersParts;
}

/**
 * A tree in which the children of a node have different labels. Nodes are numbered as they are added, the root is 0, so parents have smaller numbers than their children.
 * Most nodes of stacks have one child, which was added right behind them and has the next number: only the others are in a hash table.
 * Only a tree that grows needs that table: it is left out between threads, and made again for the first look for a child.
 */
export class LabelledTree {
  readonly parent: GrowingNumbers;
  readonly label: GrowingNumbers;
  /** Nodes that do not follow their parents; node 0 is free. */
  #slots = new Uint32Array(FIRST_SLOTS * SLOT);
  #mask = FIRST_SLOTS - 1;
  #inSlots = 0;
  /** All nodes can be looked up. */
  #isIndexed: boolean;
  /** So that no file can be made whose nodes all want the same slot. */
  readonly #seed = (Math.random() * 0xffffffff) | 0;

  constructor(parts?: LabelledTreeParts) {
    this.parent = new GrowingNumbers(parts?.parent);
    this.label = new GrowingNumbers(parts?.label);
    this.#isIndexed = parts === undefined;
    if (!parts) this.#push(NOTHING, NOTHING);
  }

  parts(): LabelledTreeParts {
    return { parent: this.parent, label: this.label };
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
    if (!this.#isIndexed) this.#index();
    const next = parent + 1;
    if (next < this.size && this.parent.data[next] === parent && this.label.data[next] === label) return next;
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
    let node = this.#addNew(parent, chain[from] as number);
    const parents = this.parent.data;
    const labels = this.label.data;
    for (let at = from + 1; at < to; at++) {
      parents[node + 1] = node;
      node++;
      labels[node] = chain[at] as number;
    }
    this.parent.length = size;
    this.label.length = size;
  }

  /** Forgets the nodes numbered `size` and up; not the root. */
  cutTo(size: number): void {
    if (size === this.size) return;
    this.parent.cutTo(size);
    this.label.cutTo(size);
    if (this.#isIndexed) this.#rebuild(this.#mask + 1);
  }

  #addNew(parent: number, label: number): number {
    const node = this.#push(parent, label);
    this.#makeFindable(node, parent, label);
    return node;
  }

  #makeFindable(node: number, parent: number, label: number): void {
    if (parent === node - 1) return;
    this.#putInSlot(node, parent, label);
    if (++this.#inSlots * 2 > this.#mask) this.#rebuild((this.#mask + 1) * 2);
  }

  /** Makes all nodes findable. */
  #index(): void {
    for (let node = 1; node < this.size; node++) this.#makeFindable(node, this.parent.at(node), this.label.at(node));
    this.#isIndexed = true;
  }

  #push(parent: number, label: number): number {
    const node = this.parent.length;
    this.parent.push(parent);
    this.label.push(label);
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
