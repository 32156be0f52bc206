// One flame graph of two sides: as wide as the newer side takes, with what the older one took beside it.

import {
  DIFFERENCE_PARTS,
  FRAME_KINDS,
  NODE_CHANGES,
  type FlameData,
  type FlameDifference,
  type NodeChange,
} from "../../../../contract/flame-data.js";
import { judgedChange, runVariance } from "../answers/chance.js";
import { isUnnamed } from "../answers/unnamed-code.js";
import { LabelledTree } from "../columns/labelled-tree.js";
import type { FunctionFacts } from "../questions.js";
import { layOutInOrder, type FunctionTree } from "./flame-layout.js";

export interface DifferenceSide {
  /** One for each capture, with the same options. */
  readonly graphs: readonly FlameData[];
  /** What all of a side is, in the unit of the measure. */
  readonly whole: number;
}

export interface DifferenceOptions {
  /** The name on the newer side of a function of the older one. */
  newName(baseName: string): string;
  /** Whether a function takes more or less than before, as the table judges it: its frames claim no more than it does. */
  mayHaveChanged(newName: string): boolean;
  /** The same of the whole program. */
  readonly wholeMayHaveChanged: boolean;
  /** How much runs differ, percent. */
  readonly spreadPercent: number;
  /** Whether stacks that are gone have a place, as wide as they were. */
  readonly vanished: boolean;
}

/** Where the next of `CHANGE_STEPS` begins: doublings, of the newer against the older value. */
const STEP_DOUBLINGS = [0.15, 0.4, 0.85];

const NEWER = 0;
const OLDER = 1;

export function differenceGraph(
  base: DifferenceSide,
  newer: DifferenceSide,
  { newName, mayHaveChanged, wholeMayHaveChanged, spreadPercent, vanished }: DifferenceOptions,
): FlameData {
  const functions = new MergedFunctions();
  const tree = new LabelledTree();
  const sides = [
    new SideInTree(newer, tree, functions, (name) => name, NEWER),
    new SideInTree(base, tree, functions, newName, OLDER),
  ] as const;
  const [after, before] = sides.map((side) => side.summedUp(tree)) as [SideTotals, SideTotals];
  const parts = (totals: SideTotals, node: number) =>
    totals.whole > 0 ? ((totals.self[node] as number) / totals.whole) * DIFFERENCE_PARTS : 0;
  const self = Float64Array.from({ length: tree.size }, (_, node) =>
    after.samples[node] !== 0 ? parts(after, node) : vanished ? parts(before, node) : 0,
  );
  const shown = shownTree(tree, self, sides);
  const rootName = { name: "all", functionIndex: -1 };
  const { data, order } = layOutInOrder(shown.tree, { root: rootName }, functions, {
    sequence: 0,
    periodNs: 0,
    isOwn: (index) => functions.isOwn[index] === true,
    folds: false,
  });
  const columns = {
    nodeBase: new Float64Array(order.length),
    nodeNew: new Float64Array(order.length),
    nodeChange: new Uint8Array(order.length),
    nodeStep: new Uint8Array(order.length),
  } satisfies FlameDifference;
  const variance = runVariance(spreadPercent, [base.graphs.length, newer.graphs.length]);
  const mayChange = functions.facts.map(({ name }) => mayHaveChanged(name));
  for (let at = 0; at < order.length; at++) {
    const node = shown.nodes[order[at] as number] as number;
    columns.nodeBase[at] = valueOf(before, node);
    columns.nodeNew[at] = valueOf(after, node);
    const { change, step } = changeAt(
      node,
      before,
      after,
      variance,
      node === 0 ? wholeMayHaveChanged : mayChange[tree.label.at(node)] === true,
    );
    columns.nodeChange[at] = NODE_CHANGES.indexOf(change);
    columns.nodeStep[at] = step;
  }
  return { ...data, difference: columns };
}

/** The totals of the merged tree's nodes on one side, descendants included. */
interface SideTotals {
  /** Of a node without its descendants, weighed by what a sample stands for. */
  readonly self: Float64Array;
  readonly weight: Float64Array;
  readonly samples: Float64Array;
  /** Of the root. */
  readonly whole: number;
  /** Of the root, in the unit of the measure. */
  readonly value: number;
}

function valueOf({ weight, whole, value }: SideTotals, node: number): number {
  return whole > 0 ? ((weight[node] as number) / whole) * value : 0;
}

function changeAt(
  node: number,
  before: SideTotals,
  after: SideTotals,
  variance: number,
  mayHaveChanged: boolean,
): { readonly change: NodeChange; readonly step: number } {
  const side = (totals: SideTotals) => ({
    value: valueOf(totals, node),
    samples: totals.samples[node] as number,
    perSample: totals.value / Math.max(totals.samples[0] as number, 1),
  });
  const [was, is] = [side(before), side(after)];
  const change = judgedChange(was, is, variance);
  if (change === "none" || (!mayHaveChanged && (change === "more" || change === "less")))
    return { change: "none", step: 0 };
  const doublings = was.value > 0 && is.value > 0 ? Math.abs(Math.log2(is.value / was.value)) : Infinity;
  return { change, step: 1 + STEP_DOUBLINGS.filter((from) => doublings >= from).length };
}

/** Functions of both sides, by their names on the newer one. */
class MergedFunctions {
  readonly facts: FunctionFacts[] = [];
  readonly isOwn: boolean[] = [];
  readonly #numbers = new Map<string, number>();

  get count(): number {
    return this.facts.length;
  }

  numberOf(data: FlameData, index: number, name: string): number {
    const shown = isUnnamed({ name }) ? `${name.slice(0, name.indexOf("!"))}!(no name)` : name;
    const known = this.#numbers.get(shown);
    if (known !== undefined) return known;
    const number = this.facts.length;
    this.#numbers.set(shown, number);
    const kind = FRAME_KINDS[data.functionKinds[index] ?? 0] ?? "marker";
    this.facts.push({
      name: shown,
      rawName: shown,
      kind,
      file: data.functionFiles[index] ?? "",
      headLine: data.functionHeadLines[index] ?? 0,
      object: "",
    });
    this.isOwn.push(data.functionIsOwn[index] === 1);
    return number;
  }
}

/** The graphs of one side, added to the tree of both. */
class SideInTree {
  readonly #value: number;
  readonly #graphs: { readonly data: FlameData; readonly nodes: Uint32Array; readonly perSample: number }[];
  readonly #side: number;

  constructor(
    { graphs, whole }: DifferenceSide,
    tree: LabelledTree,
    functions: MergedFunctions,
    nameOf: (name: string) => string,
    side: number,
  ) {
    this.#value = whole;
    this.#side = side;
    const haveTimes = graphs.every(({ periodNs }) => periodNs > 0);
    this.#graphs = graphs.map((data) => {
      const labels = Uint32Array.from(data.functionNames, (name, index) =>
        functions.numberOf(data, index, nameOf(name)),
      );
      const nodes = new Uint32Array(data.nodeFunction.length);
      for (let node = 1; node < nodes.length; node++)
        nodes[node] = tree.add(
          nodes[data.nodeParent[node] as number] as number,
          labels[data.nodeFunction[node] as number] as number,
        );
      return { data, nodes, perSample: haveTimes ? data.periodNs : 1 };
    });
  }

  summedUp(tree: LabelledTree): SideTotals {
    const self = new Float64Array(tree.size);
    const samples = new Float64Array(tree.size);
    for (const { data, nodes, perSample } of this.#graphs) {
      for (let node = 0; node < nodes.length; node++) {
        const at = nodes[node] as number;
        const count = data.nodeSelf[node] as number;
        samples[at] = (samples[at] as number) + count;
        self[at] = (self[at] as number) + count * perSample;
      }
    }
    const weight = self.slice();
    for (let node = tree.size - 1; node > 0; node--) {
      const parent = tree.parentOf(node);
      weight[parent] = (weight[parent] as number) + (weight[node] as number);
      samples[parent] = (samples[parent] as number) + (samples[node] as number);
    }
    return { self, weight, samples, whole: weight[0] ?? 0, value: this.#value };
  }

  /**
   * Calls `take` for each node: its line, and how many frames became one there. A line of the older side is not valid
   * in the text of the newer.
   */
  eachLine(take: (node: number, line: number, levels: number, samples: number) => void): void {
    for (const { data, nodes } of this.#graphs) {
      for (let node = 0; node < nodes.length; node++) {
        take(
          nodes[node] as number,
          this.#side === NEWER ? (data.nodeLine[node] as number) : 0,
          data.nodeLevels[node] as number,
          data.nodeTotal[node] as number,
        );
      }
    }
  }
}

/** The nodes that take some width, numbered anew, and which of the merged tree they are. */
function shownTree(
  tree: LabelledTree,
  self: Float64Array,
  sides: readonly SideInTree[],
): { readonly tree: FunctionTree; readonly nodes: Uint32Array } {
  const total = self.map(Math.round);
  const ownParts = total.slice();
  for (let node = tree.size - 1; node > 0; node--) {
    const parent = tree.parentOf(node);
    total[parent] = (total[parent] as number) + (total[node] as number);
  }
  const numbers = new Uint32Array(tree.size);
  const nodes: number[] = [];
  for (let node = 0; node < tree.size; node++) {
    if (node > 0 && total[node] === 0) continue;
    numbers[node] = nodes.length;
    nodes.push(node);
  }
  const line = new Uint32Array(tree.size);
  const most = new Float64Array(tree.size);
  const levels = new Uint16Array(tree.size).fill(1);
  for (const side of sides) {
    side.eachLine((node, itsLine, itsLevels, samples) => {
      levels[node] = Math.max(levels[node] as number, itsLevels);
      if (itsLine === 0 || samples <= (most[node] as number)) return;
      most[node] = samples;
      line[node] = itsLine;
    });
  }
  const column = (of: (node: number) => number) => Uint32Array.from(nodes, of);
  return {
    nodes: Uint32Array.from(nodes),
    tree: {
      size: nodes.length,
      parent: column((node) => (node === 0 ? 0 : (numbers[tree.parentOf(node)] as number))),
      functionIndex: column((node) => (node === 0 ? 0 : tree.label.at(node))),
      self: column((node) => ownParts[node] as number),
      total: column((node) => total[node] as number),
      line: column((node) => line[node] as number),
      levels: Uint16Array.from(nodes, (node) => levels[node] as number),
    },
  };
}
