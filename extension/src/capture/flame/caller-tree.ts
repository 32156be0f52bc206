// The tree of an inverted flame graph: from the leaves to the root.

import { GrowingNumbers } from "../columns/growing-numbers.js";
import { NodeCounts } from "../columns/node-counts.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import { OUTERMOST_OF_FUNCTION } from "../tables/stack-trie.js";
import { MAX_FLAME_NODES, type FunctionTree } from "./flame-layout.js";
import type { GroupedSamples } from "./grouped-samples.js";
import { hiddenFunctions, type Shape } from "./shape.js";
import { WidestFirst } from "./widest-first.js";

/**
 * All samples from the leaf on, below their groups when there are any; with `middle`, from that function (the one nearest to the root, when it is there more than once) to its callers, and it is the root.
 *
 * Every stack could have a branch of its own here, far more than can be shown. So the tree is grown where it is widest,
 * until it has as many nodes as are shown.
 */
export function callerTree(
  tables: ProfileTables,
  samples: NodeCounts | GroupedSamples,
  shape: Shape,
  middle = -1,
): FunctionTree {
  return new CallerTree(tables, samples, shape, middle).grow();
}

class CallerTree {
  readonly #tables: ProfileTables;
  readonly #isHidden: Uint8Array;
  readonly #collapse: boolean;
  readonly #middle: number;
  /** Stacks, or what of them is not yet in the tree: the next frame and the samples. Those that share a node are a chain, ended by 0. */
  readonly #rest = new GrowingNumbers();
  readonly #samples = new GrowingNumbers();
  readonly #nextStack = new GrowingNumbers();
  readonly #firstStack = new GrowingNumbers();
  readonly #parent = new GrowingNumbers();
  readonly #function = new GrowingNumbers();
  readonly #self = new GrowingNumbers();
  readonly #total = new GrowingNumbers();
  readonly #line = new GrowingNumbers();
  /** Most frames of the node's function that became one. */
  readonly #levels = new GrowingNumbers();
  /** For the node that is being grown: child by function, samples by frame. */
  readonly #childOf: Uint32Array;
  readonly #frameSamples: Uint32Array;

  constructor(tables: ProfileTables, samples: NodeCounts | GroupedSamples, shape: Shape, middle: number) {
    this.#tables = tables;
    this.#isHidden = hiddenFunctions(tables, shape);
    this.#collapse = shape.collapseRecursion;
    this.#middle = middle;
    this.#childOf = new Uint32Array(tables.functions.count);
    this.#frameSamples = new Uint32Array(tables.functions.frames.size);
    this.#addNode(0, 0);
    this.#addStack(0, 0, 0); // number 0 ends chains
    if (samples instanceof NodeCounts) this.#seed(samples);
    else this.#seedGroups(samples);
  }

  grow(): FunctionTree {
    const waiting = new WidestFirst(this.#total);
    for (let node = 0; node < this.#parent.length; node++) waiting.push(node);
    while (waiting.size > 0) {
      const node = waiting.pop();
      const before = this.#parent.length;
      this.#growAt(node);
      for (let child = before; child < this.#parent.length; child++) waiting.push(child);
      if (this.#parent.length >= MAX_FLAME_NODES) break;
    }
    const cut = (column: GrowingNumbers) => column.data.subarray(0, this.#parent.length);
    return {
      size: this.#parent.length,
      parent: cut(this.#parent),
      functionIndex: cut(this.#function),
      self: cut(this.#self),
      total: cut(this.#total),
      line: cut(this.#line),
      levels: Uint16Array.from(cut(this.#levels)),
    };
  }

  #seed(nodeSelf: NodeCounts): void {
    const middle = this.#middle;
    if (middle >= 0) return this.#seedBelow(middle, nodeSelf);
    this.#reserve(nodeSelf.counts.length);
    nodeSelf.each((node, samples) => this.#addRoot(node, samples));
  }

  /** Adds the callers of a function. */
  #seedBelow(middle: number, nodeSelf: NodeCounts): void {
    const { stacks } = this.#tables;
    const lines = new Map<number, number>();
    stacks.nodes.eachTotal(nodeSelf, (node, samples) => {
      if (stacks.functionOf(node) !== middle || !stacks.isOutermost(node, OUTERMOST_OF_FUNCTION)) return true;
      const line = stacks.lineOf(node);
      lines.set(line, (lines.get(line) ?? 0) + samples);
      this.#addRoot(stacks.parentOf(node), samples);
      return true;
    });
    const [[line] = [0]] = [...lines]
      .filter(([known]) => known > 0)
      .sort(([a, samplesOfA], [b, samplesOfB]) => samplesOfB - samplesOfA || b - a);
    this.#line.data[0] = line;
  }

  #addRoot(rest: number, samples: number): void {
    this.#addStack(0, rest, samples);
    this.#total.data[0] = this.#total.at(0) + samples;
  }

  #seedGroups({ values, first, node, samples, leftOut }: GroupedSamples): void {
    let all = leftOut;
    this.#reserve(node.length);
    for (let group = 0; group < values.length; group++) {
      const groupNode = this.#addNode(0, this.#tables.functions.count + group);
      let total = 0;
      for (let entry = first[group] as number; entry < (first[group + 1] as number); entry++) {
        this.#addStack(groupNode, node[entry] as number, samples[entry] as number);
        total += samples[entry] as number;
      }
      this.#total.data[groupNode] = total;
      all += total;
    }
    this.#total.data[0] = all;
  }

  /** Hands the stacks of a node on to its children. */
  #growAt(node: number): void {
    const { stacks, functions } = this.#tables;
    const frames = stacks.nodes.label.data;
    const frameFunction = functions.frames.first.data;
    const frameLine = functions.frames.second.data;
    const own = node === 0 ? this.#middle : this.#function.at(node);
    const firstChild = this.#parent.length;
    const most = new Map<number, number>();
    const touched: number[] = [];
    for (let stack = this.#firstStack.at(node), next = 0; stack !== 0; stack = next) {
      next = this.#nextStack.at(stack);
      const samples = this.#samples.at(stack);
      let rest = this.#rest.at(stack);
      let functionIndex = -1;
      let levels = 1;
      for (; rest !== 0; rest = stacks.parentOf(rest)) {
        functionIndex = frameFunction[frames[rest] as number] as number;
        if (this.#isHidden[functionIndex]) continue;
        if (!(this.#collapse && functionIndex === own)) break;
        levels++;
      }
      if (levels > this.#levels.at(node)) this.#levels.data[node] = levels;
      if (rest === 0) {
        this.#self.data[node] = this.#self.at(node) + samples;
        continue;
      }
      let child = this.#childOf[functionIndex] as number;
      if (child === 0) this.#childOf[functionIndex] = child = this.#addNode(node, functionIndex);
      this.#total.data[child] = this.#total.at(child) + samples;
      this.#nextStack.data[stack] = this.#firstStack.at(child);
      this.#firstStack.data[child] = stack;
      this.#rest.data[stack] = stacks.parentOf(rest);
      const frame = frames[rest] as number;
      if (frameLine[frame] === 0) continue;
      if (this.#frameSamples[frame] === 0) touched.push(frame);
      const ofFrame = (this.#frameSamples[frame] as number) + samples;
      this.#frameSamples[frame] = ofFrame;
      if (ofFrame < (most.get(child) ?? 0)) continue;
      most.set(child, ofFrame);
      this.#line.data[child] = frameLine[frame] as number;
    }
    this.#firstStack.data[node] = 0;
    for (const frame of touched) this.#frameSamples[frame] = 0;
    for (let child = firstChild; child < this.#parent.length; child++) this.#childOf[this.#function.at(child)] = 0;
  }

  #addNode(parent: number, functionIndex: number): number {
    const node = this.#parent.length;
    this.#parent.push(parent);
    this.#function.push(functionIndex);
    this.#levels.push(1);
    for (const column of [this.#self, this.#total, this.#line, this.#firstStack]) column.push(0);
    return node;
  }

  /** Room for so many stacks: growing step by step would copy the existing ones each time. */
  #reserve(stacks: number): void {
    for (const column of [this.#rest, this.#samples, this.#nextStack]) column.reserve(column.length + stacks);
  }

  #addStack(node: number, rest: number, samples: number): void {
    this.#nextStack.push(this.#firstStack.at(node));
    this.#firstStack.data[node] = this.#rest.length;
    this.#rest.push(rest);
    this.#samples.push(samples);
  }
}
