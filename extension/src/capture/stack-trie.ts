import { tooMany } from "./capture-error.js";
import type { FunctionTable } from "./function-table.js";
import { GrowingNumbers } from "./growing-numbers.js";
import { PairTable } from "./pair-table.js";

/** About a gigabyte with everything that hangs on a node. */
const MAX_NODES = 1 << 25;
const NOTHING = 0xffffffff;

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
  /** Parent and frame of each node. */
  readonly nodes = new PairTable();
  /** Parent and function of each path. */
  readonly paths = new PairTable();
  readonly #pathAndFlags = new GrowingNumbers();
  /** Number of the stack in which a function or frame was met last, to tell the outermost one. */
  readonly #functionMet = new GrowingNumbers();
  readonly #frameMet = new GrowingNumbers();
  #stack = 0;

  constructor(readonly functions: FunctionTable) {
    this.nodes.add(NOTHING, NOTHING);
    this.paths.add(NOTHING, NOTHING);
    this.#pathAndFlags.push(0);
  }

  get size(): number {
    return this.nodes.size;
  }

  /** The node of a stack given by its frames, leaf first. */
  add(frames: Uint32Array, count: number): number {
    const { frames: table } = this.functions;
    const frameFunction = table.first.data;
    this.#functionMet.extendTo(this.functions.count);
    this.#frameMet.extendTo(table.size);
    const functionMet = this.#functionMet.data;
    const frameMet = this.#frameMet.data;
    const stack = ++this.#stack;
    let node = 0;
    for (let at = count - 1; at >= 0; at--) {
      const frame = frames[at] as number;
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
    }
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
    const parents = this.nodes.first.data;
    const frames = this.nodes.second.data;
    const frameFunction = this.functions.frames.first.data;
    const functionRoles = this.functions.roles.data;
    let at = node;
    while (at !== 0 && ((functionRoles[frameFunction[frames[at] as number] as number] as number) & roles) === 0) at = parents[at] as number;
    return at;
  }

  functionOf(node: number): number {
    return this.functions.frames.first.at(this.nodes.second.at(node));
  }

  lineOf(node: number): number {
    return this.functions.frames.second.at(this.nodes.second.at(node));
  }

  parentOf(node: number): number {
    return this.nodes.first.at(node);
  }

  mark(): { nodes: number; paths: number } {
    return { nodes: this.nodes.size, paths: this.paths.size };
  }

  rollBack(mark: { nodes: number; paths: number }): void {
    this.nodes.cutTo(mark.nodes);
    this.paths.cutTo(mark.paths);
    this.#pathAndFlags.cutTo(mark.nodes);
  }
}
