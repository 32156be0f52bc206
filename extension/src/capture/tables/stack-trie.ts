import { tooMany } from "../capture-error.js";
import { Bits } from "../columns/bits.js";
import { GrowingNumbers, type NumbersParts } from "../columns/growing-numbers.js";
import { LabelledTree, type LabelledTreeParts } from "../columns/labelled-tree.js";
import { SteppedNumbers, type SteppedNumbersParts } from "../columns/stepped-numbers.js";
import { MAX_STACK_FRAMES } from "../limits.generated.js";
import type { FunctionTable } from "./function-table.js";

/** Some hundred megabytes with everything that hangs on a node. */
const MAX_NODES = 1 << 25;

/** Of a node: no node between it and the root has its function. */
export const OUTERMOST_OF_FUNCTION = 1;
/** Of a node: no node between it and the root has its function and line. */
export const OUTERMOST_OF_FRAME = 2;

export interface StackTrieParts {
  readonly nodes: LabelledTreeParts;
  readonly paths: LabelledTreeParts;
  readonly pathOfNode: SteppedNumbersParts;
  readonly outermostOfFunction: NumbersParts;
  readonly outermostOfFrame: NumbersParts;
  readonly functionMet: NumbersParts;
  readonly frameMet: NumbersParts;
  readonly stack: number;
}

/**
 * All stacks as one tree: a node is a frame called from its parent's, node 0 the empty stack, and a stack is the node of its leaf.
 * Parents have smaller numbers than their children, so sums over subtrees take one pass from the last node to the first.
 *
 * Stacks that differ in lines only share a *path*: the same tree with functions for nodes, which is what a flame graph shows.
 */
export class StackTrie {
  /** Labels are frames. */
  readonly nodes: LabelledTree;
  /** Labels are functions. */
  readonly paths: LabelledTree;
  /** The nodes of a branch are mostly paths of a branch, too. */
  readonly #pathOfNode: SteppedNumbers;
  readonly #outermostOfFunction: Bits;
  readonly #outermostOfFrame: Bits;
  /** Number of the stack in which a function or frame was met last, to find the outermost one. */
  readonly #functionMet: GrowingNumbers;
  readonly #frameMet: GrowingNumbers;
  #stack: number;
  /** Functions of the frames that are being added, root first. */
  readonly #functions = new Uint32Array(MAX_STACK_FRAMES);
  /** The stack added last, root first: the frames that the next one shares with it need no new look-up. */
  readonly #before = { frames: new Uint32Array(MAX_STACK_FRAMES), nodes: new Uint32Array(MAX_STACK_FRAMES), length: 0 };

  constructor(
    readonly functions: FunctionTable,
    parts?: StackTrieParts,
  ) {
    this.nodes = new LabelledTree(parts?.nodes);
    this.paths = new LabelledTree(parts?.paths);
    this.#pathOfNode = new SteppedNumbers(parts?.pathOfNode);
    this.#outermostOfFunction = new Bits(parts?.outermostOfFunction);
    this.#outermostOfFrame = new Bits(parts?.outermostOfFrame);
    this.#functionMet = new GrowingNumbers(parts?.functionMet);
    this.#frameMet = new GrowingNumbers(parts?.frameMet);
    this.#stack = parts?.stack ?? 0;
    if (!parts) this.#pathOfNode.push(0);
  }

  parts(): StackTrieParts {
    const ofNodes = {
      pathOfNode: this.#pathOfNode.parts(),
      outermostOfFunction: this.#outermostOfFunction.parts(),
      outermostOfFrame: this.#outermostOfFrame.parts(),
    };
    return {
      nodes: this.nodes.parts(),
      paths: this.paths.parts(),
      ...ofNodes,
      functionMet: this.#functionMet,
      frameMet: this.#frameMet,
      stack: this.#stack,
    };
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
    let depth = shared;
    for (; depth < count; depth++) {
      const frame = frames[count - 1 - depth] as number;
      const next = this.nodes.find(node, frame);
      if (next === 0) break;
      functionMet[frameFunction[frame] as number] = stack;
      frameMet[frame] = stack;
      node = next;
      before.frames[depth] = frame;
      before.nodes[depth] = node;
    }
    before.length = depth;
    if (depth === count) return node;
    for (let at = depth; at < count; at++) before.frames[at] = frames[count - 1 - at] as number;
    return this.#addBelow(node, depth, count);
  }

  /** Adds the frames of the stack in question from `depth` on, none of which is in the tree, below `node`; the node of the last one. */
  #addBelow(node: number, depth: number, count: number): number {
    const size = this.nodes.size;
    if (size + count - depth > MAX_NODES) throw tooMany("different stacks' frames", MAX_NODES);
    const before = this.#before;
    const functions = this.#functions;
    const stack = this.#stack;
    const frameFunction = this.functions.frames.first.data;
    const functionMet = this.#functionMet.data;
    const frameMet = this.#frameMet.data;
    let path = this.pathOf(node);
    let firstNewPath = count;
    let aboveNewPath = 0;
    for (let at = depth, next = size; at < count; at++, next++) {
      const frame = before.frames[at] as number;
      const functionIndex = frameFunction[frame] as number;
      functions[at] = functionIndex;
      if (at < firstNewPath) {
        const known = this.paths.find(path, functionIndex);
        if (known === 0) {
          // Whatever follows is a new path too, numbered in a row.
          firstNewPath = at;
          aboveNewPath = path;
          this.#pathOfNode.pushRun(this.paths.size, count - at);
        } else this.#pathOfNode.push((path = known));
      }
      if (functionMet[functionIndex] !== stack) this.#outermostOfFunction.add(next);
      if (frameMet[frame] !== stack) this.#outermostOfFrame.add(next);
      functionMet[functionIndex] = stack;
      frameMet[frame] = stack;
      before.nodes[at] = next;
    }
    this.nodes.addChain(node, before.frames, depth, count);
    if (firstNewPath < count) this.paths.addChain(aboveNewPath, functions, firstNewPath, count);
    before.length = count;
    return this.nodes.size - 1;
  }

  pathOf(node: number): number {
    return this.#pathOfNode.at(node);
  }

  isOutermost(node: number, flag: typeof OUTERMOST_OF_FUNCTION | typeof OUTERMOST_OF_FRAME): boolean {
    return flag === OUTERMOST_OF_FUNCTION ? this.#outermostOfFunction.has(node) : this.#outermostOfFrame.has(node);
  }

  /** The node itself or its nearest ancestor whose function has one of these roles (see `FunctionTable.roles`); 0 when there is none. */
  nearest(node: number, roles: number): number {
    const frames = this.nodes.label.data;
    const frameFunction = this.functions.frames.first.data;
    const functionRoles = this.functions.roles.data;
    let at = node;
    while (at !== 0 && ((functionRoles[frameFunction[frames[at] as number] as number] as number) & roles) === 0)
      at = this.nodes.parentOf(at);
    return at;
  }

  functionOf(node: number): number {
    return this.functions.frames.first.at(this.nodes.label.at(node));
  }

  lineOf(node: number): number {
    return this.functions.frames.second.at(this.nodes.label.at(node));
  }

  parentOf(node: number): number {
    return this.nodes.parentOf(node);
  }

  mark(): { nodes: number; paths: number } {
    return { nodes: this.nodes.size, paths: this.paths.size };
  }

  rollBack(mark: { nodes: number; paths: number }): void {
    this.#before.length = 0;
    this.nodes.cutTo(mark.nodes);
    this.paths.cutTo(mark.paths);
    this.#pathOfNode.cutTo(mark.nodes);
    this.#outermostOfFunction.cutTo(mark.nodes);
    this.#outermostOfFrame.cutTo(mark.nodes);
  }
}
