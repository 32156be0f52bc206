import { tooMany } from "../capture-error.js";
import { GrowingNumbers } from "../columns/growing-numbers.js";
import { LabelledTree } from "../columns/labelled-tree.js";
import type { FunctionTable } from "./function-table.js";

/** About a gigabyte with everything that hangs on a node. */
const MAX_NODES = 1 << 25;
/** Frames in one stack, inlined ones included. */
export const MAX_STACK_FRAMES = 16_384;

/** Of a node: no node between it and the root has its function. */
export const OUTERMOST_OF_FUNCTION = 1;
/** Of a node: no node between it and the root has its function and line. */
export const OUTERMOST_OF_FRAME = 2;
export const FLAG_BITS = 2;

/**
 * All stacks as one tree: a node is a frame called from its parent's, node 0 the empty stack, and a stack is the node of its leaf.
 * Parents have smaller numbers than their children, so sums over subtrees take one pass from the last node to the first.
 *
 * Stacks that differ in lines only share a *path*: the same tree with functions for nodes, which is what a flame graph shows.
 */
export class StackTrie {
  /** Labels are frames. */
  readonly nodes = new LabelledTree();
  /** Labels are functions. */
  readonly paths = new LabelledTree();
  readonly #pathAndFlags = new GrowingNumbers();
  /** Number of the stack in which a function or frame was met last, to tell the outermost one. */
  readonly #functionMet = new GrowingNumbers();
  readonly #frameMet = new GrowingNumbers();
  #stack = 0;
  /** The stack added last, root first: what it starts with need not be looked up again. */
  readonly #before = { frames: new Uint32Array(MAX_STACK_FRAMES), nodes: new Uint32Array(MAX_STACK_FRAMES), length: 0 };

  constructor(readonly functions: FunctionTable) {
    this.#pathAndFlags.push(0);
  }

  get size(): number {
    return this.nodes.size;
  }

  /** The node of a stack given by its frames, leaf first; at most `MAX_STACK_FRAMES`. */
  add(frames: Uint32Array, count: number): number {
    const { frames: table } = this.functions;
    const frameFunction = table.first.data;
    this.#functionMet.extendTo(this.functions.count);
    this.#frameMet.extendTo(table.size);
    const functionMet = this.#functionMet.data;
    const frameMet = this.#frameMet.data;
    const stack = ++this.#stack;
    // Stacks come sorted, root first, so the one before often starts with the same frames.
    const before = this.#before;
    let shared = 0;
    const shareable = Math.min(count, before.length);
    while (shared < shareable && before.frames[shared] === frames[count - 1 - shared]) shared++;
    let node = shared === 0 ? 0 : (before.nodes[shared - 1] as number);
    before.length = shared;
    for (let depth = 0; depth < shared; depth++) {
      const frame = frames[count - 1 - depth] as number;
      functionMet[frameFunction[frame] as number] = stack;
      frameMet[frame] = stack;
    }
    for (let depth = shared; depth < count; depth++) {
      const frame = frames[count - 1 - depth] as number;
      const functionIndex = frameFunction[frame] as number;
      const size = this.nodes.size;
      const next = this.nodes.add(node, frame);
      if (next === size) {
        if (size >= MAX_NODES) {
          this.nodes.cutTo(size);
          throw tooMany("different stacks' frames", MAX_NODES);
        }
        const path = this.paths.add(this.pathOf(node), functionIndex);
        const flags = (functionMet[functionIndex] === stack ? 0 : OUTERMOST_OF_FUNCTION) | (frameMet[frame] === stack ? 0 : OUTERMOST_OF_FRAME);
        this.#pathAndFlags.push((path << FLAG_BITS) | flags);
      }
      functionMet[functionIndex] = stack;
      frameMet[frame] = stack;
      node = next;
      before.frames[depth] = frame;
      before.nodes[depth] = node;
    }
    before.length = count;
    return node;
  }

  pathOf(node: number): number {
    return this.#pathAndFlags.at(node) >>> FLAG_BITS;
  }

  isOutermost(node: number, flag: number): boolean {
    return (this.#pathAndFlags.at(node) & flag) !== 0;
  }

  /** For hot loops: `path << 2 | flags` by node. */
  get pathsAndFlags(): Uint32Array {
    return this.#pathAndFlags.data;
  }

  /** The node itself or its nearest ancestor whose function has one of these roles (see `FunctionTable.roles`); 0 when there is none. */
  nearest(node: number, roles: number): number {
    const parents = this.nodes.parent.data;
    const frames = this.nodes.label.data;
    const frameFunction = this.functions.frames.first.data;
    const functionRoles = this.functions.roles.data;
    let at = node;
    while (at !== 0 && ((functionRoles[frameFunction[frames[at] as number] as number] as number) & roles) === 0) at = parents[at] as number;
    return at;
  }

  functionOf(node: number): number {
    return this.functions.frames.first.at(this.nodes.label.at(node));
  }

  lineOf(node: number): number {
    return this.functions.frames.second.at(this.nodes.label.at(node));
  }

  parentOf(node: number): number {
    return this.nodes.parent.at(node);
  }

  mark(): { nodes: number; paths: number } {
    return { nodes: this.nodes.size, paths: this.paths.size };
  }

  rollBack(mark: { nodes: number; paths: number }): void {
    this.#before.length = 0;
    this.nodes.cutTo(mark.nodes);
    this.paths.cutTo(mark.paths);
    this.#pathAndFlags.cutTo(mark.nodes);
  }
}
