import { NarrowNumbers, type NarrowNumbersParts } from "./narrow-numbers.js";
import { SparseNumbers, type SparseNumbersParts } from "./sparse-numbers.js";
import type { NodeCounts } from "./node-counts.js";

const FIRST_SLOTS = 1024;
/** Parent of the root. */
const NOTHING = 0xffffffff;
/** Numbers of a slot: node and hash, so that one look at memory decides most of the time. */
const SLOT = 2;

export interface LabelledTreeParts {
  readonly branches: SparseNumbersParts;
  readonly label: NarrowNumbersParts;
}

/**
 * A tree in which the children of a node have different labels. Nodes are numbered as they are added, the root is 0, so parents have smaller numbers than their children.
 * Most nodes of stacks have one child, which was added right behind them and has the next number: only of the others, which begin a branch, the parent is kept, and only they are in a hash table.
 * Only a tree that grows needs that table: it is left out between threads, and made again for the first look for a child.
 */
export class LabelledTree {
  /** Parents of nodes that do not follow their parents. */
  readonly #branches: SparseNumbers;
  readonly label: NarrowNumbers;
  /** Nodes that begin a branch; node 0 is free. */
  #slots = new Uint32Array(FIRST_SLOTS * SLOT);
  #mask = FIRST_SLOTS - 1;
  #inSlots = 0;
  /** All nodes can be looked up. */
  #isIndexed: boolean;
  /** So that no file can be made whose nodes all want the same slot. */
  readonly #seed = (Math.random() * 0xffffffff) | 0;

  constructor(parts?: LabelledTreeParts) {
    this.#branches = new SparseNumbers(parts?.branches);
    this.label = new NarrowNumbers(parts?.label);
    this.#isIndexed = parts === undefined;
    if (parts) return;
    this.label.push(0);
    this.#branches.push(0, NOTHING);
  }

  parts(): LabelledTreeParts {
    return { branches: this.#branches.parts(), label: this.label };
  }

  /** Number of nodes, the root included. */
  get size(): number {
    return this.label.length;
  }

  /** Of any node but the root. */
  parentOf(node: number): number {
    return this.#branches.places.has(node) ? this.#branches.at(node) : node - 1;
  }

  /** The child with this label; the `size` before when it is new. */
  add(parent: number, label: number): number {
    return this.find(parent, label) || this.addNew(parent, label);
  }

  /** The child with this label; 0, the root, which is no child, when there is none. */
  find(parent: number, label: number): number {
    if (!this.#isIndexed) this.#index();
    const next = parent + 1;
    if (next < this.size && this.label.data[next] === label && !this.#branches.places.has(next)) return next;
    const hash = this.#hashOf(parent, label);
    const slots = this.#slots;
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * SLOT;
      const node = slots[at] as number;
      if (
        node === 0 ||
        (slots[at + 1] === hash && this.label.data[node] === label && this.#branches.at(node) === parent)
      )
        return node;
    }
  }

  /** The next node, a child with a label that no child of that parent has. */
  addNew(parent: number, label: number): number {
    const node = this.size;
    this.label.push(label);
    if (parent !== node - 1) {
      this.#branches.push(node, parent);
      if (this.#isIndexed) this.#makeFindable(node, parent, label);
    }
    return node;
  }

  /** Adds nodes each below the one before, the first below `parent`, which has no child with its label. They are numbered from the `size` before on. */
  addChain(parent: number, chain: Uint32Array, from: number, to: number): void {
    this.addNew(parent, chain[from] as number);
    this.label.pushAll(chain, from + 1, to);
  }

  /** Forgets the nodes numbered `size` and up; not the root. */
  cutTo(size: number): void {
    if (size === this.size) return;
    this.label.cutTo(size);
    this.#branches.cutTo(size);
    if (this.#isIndexed) this.#rebuild(this.#mask + 1);
  }

  /**
   * Calls `take` for each node but the root that has samples or is above one that has, from the last node to the first.
   * @param self samples with exactly the stack of each node
   * @param take gets the samples in the node or below; false keeps them from the nodes above
   */
  eachTotal(self: NodeCounts, take: (node: number, total: number) => boolean): void {
    const { places, numbers } = this.#branches;
    const parents = numbers.data;
    let branch = this.#branches.countBefore(self.size);
    const sums = self.withNodes(parents.subarray(1, branch));
    const { counts, marks } = sums;
    let place = counts.length;
    let total = 0;
    for (let word = marks.length - 1; word >= 0; word--) {
      const marked = marks[word] as number;
      const branches = places.words.data[word] as number;
      for (let bit = Math.min(31, self.size - 1 - word * 32); bit >= 0; bit--) {
        if (((marked >>> bit) & 1) !== 0) total += counts[--place] as number;
        if (total !== 0 && (word | bit) !== 0 && !take(word * 32 + bit, total)) total = 0;
        if (((branches >>> bit) & 1) === 0) continue;
        branch--;
        if (total !== 0 && branch > 0) sums.add(parents[branch] as number, total);
        total = 0;
      }
    }
  }

  #makeFindable(node: number, parent: number, label: number): void {
    this.#putInSlot(node, this.#hashOf(parent, label));
    if (++this.#inSlots * 2 > this.#mask) this.#rebuild((this.#mask + 1) * 2);
  }

  /** Makes all nodes findable. */
  #index(): void {
    this.#isIndexed = true;
    const { places, numbers } = this.#branches;
    for (let node = 1, branch = 1; branch < numbers.length; node++)
      if (places.has(node)) this.#makeFindable(node, numbers.at(branch++), this.label.at(node));
  }

  #putInSlot(node: number, hash: number): void {
    let slot = hash & this.#mask;
    while (this.#slots[slot * SLOT] !== 0) slot = (slot + 1) & this.#mask;
    this.#slots[slot * SLOT] = node;
    this.#slots[slot * SLOT + 1] = hash;
  }

  #rebuild(slotCount: number): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(slotCount * SLOT);
    this.#mask = slotCount - 1;
    this.#inSlots = 0;
    for (let at = 0; at < before.length; at += SLOT) {
      const node = before[at] as number;
      if (node === 0 || node >= this.size) continue;
      this.#putInSlot(node, before[at + 1] as number);
      this.#inSlots++;
    }
  }

  /** Spreads both numbers over all bits, so that counting up does not end up in a row of taken slots. */
  #hashOf(parent: number, label: number): number {
    let hash = Math.imul(parent ^ this.#seed, 0x9e3779b1) ^ Math.imul(label, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return (hash ^ (hash >>> 13)) >>> 0;
  }
}
