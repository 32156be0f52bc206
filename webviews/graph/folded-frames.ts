// A graph with its runs of native and of kernel frames as one frame each. No sample is added or lost, and none changes its place among other frames.

import { FOLDINGS, FRAME_KINDS, NODE_FOLDS, type FlameData } from "../../contract/flame-data.js";
import { familyWords } from "./family-words.js";
import { NO_FAMILY, RunFamilies, runKinds } from "./run-families.js";
import { ShownTree } from "./shown-tree.js";

const [UNFOLDED, FOLDED, OPEN] = NODE_FOLDS.map((_, index) => index) as [number, number, number];
const BASE = FOLDINGS.indexOf("base");
const BIF = FRAME_KINDS.indexOf("bif");

export interface FoldedGraph {
  /** As it is drawn. Functions keep their numbers; those of frames that stand for a run come after them. */
  readonly data: FlameData;
  readonly whole: FlameData;
  /** By node of the whole graph the one that shows it. */
  readonly shownAs: Uint32Array;
  /** By node of the graph that is drawn the largest one it shows. */
  readonly originals: Uint32Array;
}

/**
 * Null where there is nothing to fold.
 * @param callersBelow whether children are callers
 * @param open the keys of the frames whose runs are shown, see `foldKey`
 */
export function foldFrames(whole: FlameData, callersBelow: boolean, open: ReadonlySet<string>): FoldedGraph | null {
  const kinds = runKinds(whole);
  return kinds.some((kind) => kind > 0) ? new Folding(whole, callersBelow, kinds, open).finished() : null;
}

/** Names a frame that stands for a run, whatever else is in the graph. */
export function foldKey(callersBelow: boolean, path: readonly string[]): string {
  return JSON.stringify([callersBelow, ...path]);
}

class Folding {
  readonly #whole: FlameData;
  readonly #callersBelow: boolean;
  readonly #kinds: Uint8Array;
  readonly #families: RunFamilies;
  readonly #open: ReadonlySet<string>;
  /** Of the nodes of runs, the family of the run down to there; of built-in functions, their own. */
  readonly #family: Uint16Array;
  /** Where threads begin, from there to their end of the run. */
  readonly #isBase: Uint8Array;
  /** Of the nodes of runs, the frame that is shown above the run. */
  readonly #above: Uint32Array;
  readonly #runParentKind: Uint8Array;
  readonly #shownAs: Uint32Array;
  readonly #shown: ShownTree;
  readonly #isOpenByHeader = new Map<number, boolean>();

  constructor(whole: FlameData, callersBelow: boolean, kinds: Uint8Array, open: ReadonlySet<string>) {
    this.#whole = whole;
    this.#callersBelow = callersBelow;
    this.#kinds = kinds;
    this.#open = open;
    this.#families = new RunFamilies(whole);
    const size = whole.nodeFunction.length;
    this.#family = new Uint16Array(size);
    this.#isBase = this.#bases();
    this.#above = new Uint32Array(size);
    this.#runParentKind = new Uint8Array(size);
    this.#shownAs = new Uint32Array(size);
    this.#shown = new ShownTree(size);
  }

  finished(): FoldedGraph {
    const { nodeFunction, nodeParent, nodeTotal } = this.#whole;
    const own = nodeTotal.slice();
    for (let node = 1; node < own.length; node++) {
      const parent = nodeParent[node] as number;
      own[parent] = (own[parent] as number) - (nodeTotal[node] as number);
    }
    this.#count(0, 0, own[0] as number);
    for (let node = 1; node < own.length; node++) {
      const parent = nodeParent[node] as number;
      if (this.#kindOf(node) === 0) {
        const functionIndex = nodeFunction[node] as number;
        this.#family[node] = this.#families.ofFunction(functionIndex);
        this.#count(node, this.#shown.child(this.#placeBelow(parent, node), functionIndex), own[node] as number);
        continue;
      }
      this.#enterRun(node, parent);
      if (own[node] === 0) continue;
      const header = this.#header(this.#above[node] as number, this.#family[node] as number);
      this.#count(node, this.#isOpen(header) ? this.#within(header, node, true) : header, own[node] as number);
    }
    this.#placeTheRest(own);
    return this.#graph();
  }

  #kindOf(node: number): number {
    return node === 0 ? 0 : (this.#kinds[this.#whole.nodeFunction[node] as number] as number);
  }

  #isInRunOf(node: number, parent: number): boolean {
    const kind = this.#kindOf(parent);
    return kind > 0 && kind === this.#kindOf(node);
  }

  /** A run of a thread begins with functions that are the same for all of its work, named or not: all up to the last named one. */
  #bases(): Uint8Array {
    const { nodeFunction, nodeParent, functionFolding = new Uint8Array() } = this.#whole;
    const isBase = Uint8Array.from(nodeFunction, (index) => Number(functionFolding[index] === BASE));
    isBase[0] = 0;
    if (this.#callersBelow) {
      for (let node = 1; node < isBase.length; node++) {
        const parent = nodeParent[node] as number;
        if (isBase[parent] === 1 && this.#isInRunOf(node, parent)) isBase[node] = 1;
      }
    } else
      for (let node = isBase.length - 1; node > 0; node--) {
        const parent = nodeParent[node] as number;
        if (isBase[node] === 1 && this.#isInRunOf(node, parent)) isBase[parent] = 1;
      }
    return isBase;
  }

  #enterRun(node: number, parent: number): void {
    const itself = this.#families.ofFunction(this.#whole.nodeFunction[node] as number);
    if (this.#isInRunOf(node, parent)) {
      this.#above[node] = this.#above[parent] as number;
      this.#runParentKind[node] = this.#runParentKind[parent] as number;
      this.#family[node] = this.#together(itself, this.#family[parent] as number);
      return;
    }
    this.#above[node] = this.#placeBelow(parent, node);
    this.#runParentKind[node] = this.#whole.functionKinds[this.#whole.nodeFunction[parent] as number] as number;
    // The C code below a built-in function does its work.
    const isOfBif = !this.#callersBelow && parent > 0 && this.#kindOf(parent) === 0 && this.#kindOf(node) === 1;
    this.#family[node] = isOfBif ? this.#together(itself, this.#family[parent] as number) : itself;
  }

  #together(below: number, above: number): number {
    return this.#callersBelow ? this.#families.together(above, below) : this.#families.together(below, above);
  }

  /** The frame that is shown above a node whose parent is this one. */
  #placeBelow(parent: number, node: number): number {
    if (this.#kindOf(parent) === 0) return this.#shownAs[parent] as number;
    const above = this.#above[parent] as number;
    let family = this.#family[parent] as number;
    if (this.#leadsToBif(parent, node)) return above;
    const itself = this.#families.ofFunction(this.#whole.nodeFunction[node] as number);
    if (this.#callersBelow && this.#kindOf(node) === 0 && itself !== NO_FAMILY) family = this.#together(itself, family);
    const header = this.#header(above, family);
    return this.#isOpen(header) ? this.#within(header, parent, false) : header;
  }

  /** Between a built-in function and its caller the JIT's shared code does no work of its own. */
  #leadsToBif(parent: number, node: number): boolean {
    if (!this.#families.isFragment(this.#family[parent] as number)) return false;
    const kind = this.#callersBelow
      ? this.#runParentKind[parent]
      : this.#whole.functionKinds[this.#whole.nodeFunction[node] as number];
    return kind === BIF;
  }

  #header(above: number, family: number): number {
    return this.#shown.child(above, this.#whole.functionNames.length + family);
  }

  #isOpen(header: number): boolean {
    if (this.#open.size === 0) return false;
    let isOpen = this.#isOpenByHeader.get(header);
    if (isOpen === undefined) {
      const path = this.#shown.path(header).map((label) => this.#nameOf(label));
      this.#isOpenByHeader.set(header, (isOpen = this.#open.has(foldKey(this.#callersBelow, path))));
    }
    return isOpen;
  }

  /** A node of a run as itself, below the frame that stands for the run. Base frames are left out but where they have samples of their own. */
  #within(header: number, node: number, isItself: boolean): number {
    const { nodeFunction, nodeParent } = this.#whole;
    const path: number[] = [];
    for (let at = node; ; at = nodeParent[at] as number) {
      if (this.#isBase[at] === 0 || (isItself && at === node)) path.push(nodeFunction[at] as number);
      if (!this.#isInRunOf(at, nodeParent[at] as number)) break;
    }
    let shown = header;
    for (let at = path.pop(); at !== undefined; at = path.pop()) shown = this.#shown.child(shown, at);
    return shown;
  }

  #count(node: number, shown: number, own: number): void {
    this.#shownAs[node] = shown;
    this.#shown.count(shown, own, this.#whole.nodeSelf[node] as number);
  }

  /** Nodes of runs without samples of their own are where the largest of those below them is. */
  #placeTheRest(own: Uint32Array): void {
    for (let node = this.#shownAs.length - 1; node > 0; node--) {
      const parent = this.#whole.nodeParent[node] as number;
      if (this.#kindOf(parent) > 0 && own[parent] === 0) this.#shownAs[parent] = this.#placeAround(parent, node);
    }
  }

  /** @param node below it, and placed */
  #placeAround(parent: number, node: number): number {
    const above = this.#above[parent] as number;
    let header = this.#shownAs[node] as number;
    while (header !== 0 && this.#shown.parentOf(header) !== above) header = this.#shown.parentOf(header);
    if (!this.#shown.hasLabelFrom(header, this.#whole.functionNames.length)) return above;
    return this.#isOpen(header) ? this.#within(header, parent, false) : header;
  }

  #nameOf(label: number): string {
    const { functionNames } = this.#whole;
    return functionNames[label] ?? familyWords(this.#families.names[label - functionNames.length] ?? "").name;
  }

  #graph(): FoldedGraph {
    const whole = this.#whole;
    const functions = whole.functionNames.length;
    const families = this.#families.names.map(familyWords);
    const { order, columns, places } = this.#shown.inOrder();
    const size = order.length;
    const originals = new Uint32Array(size);
    const nodeLevels = new Uint16Array(size).fill(1);
    const largest = new Float64Array(size).fill(-1);
    const shownAs = this.#shownAs.map((shown) => places[shown] as number);
    for (let node = 0; node < shownAs.length; node++) {
      const at = shownAs[node] as number;
      const total = whole.nodeTotal[node] as number;
      if (columns.nodeFunction[at] === whole.nodeFunction[node])
        nodeLevels[at] = Math.max(nodeLevels[at] as number, whole.nodeLevels[node] as number);
      if (total <= (largest[at] as number)) continue;
      largest[at] = total;
      originals[at] = node;
    }
    const isHeader = (node: number) => (columns.nodeFunction[node] as number) >= functions;
    const data: FlameData = {
      ...whole,
      functionNames: [...whole.functionNames, ...families.map(({ name }) => name)],
      functionKinds: Uint8Array.from([
        ...whole.functionKinds,
        ...families.map(({ kind }) => FRAME_KINDS.indexOf(kind)),
      ]),
      functionIsOwn: Uint8Array.from([...whole.functionIsOwn, ...families.map(() => 0)]),
      functionFiles: [...whole.functionFiles, ...families.map(() => "")],
      functionHeadLines: Uint32Array.from([...whole.functionHeadLines, ...families.map(() => 0)]),
      ...columns,
      nodeLine: originals.map((node, at) => (isHeader(at) ? 0 : (whole.nodeLine[node] as number))),
      nodeLevels,
      nodeFold: Uint8Array.from(order, (shown, at) => (!isHeader(at) ? UNFOLDED : this.#isOpen(shown) ? OPEN : FOLDED)),
    };
    return { data, whole, shownAs, originals };
  }
}
