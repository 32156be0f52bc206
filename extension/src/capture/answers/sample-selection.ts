// Which samples a filter lets through.

import type { CaptureTotals, SampleFilter } from "../../../../contract/capture-answers.js";
import { SAMPLE_CLASSES } from "../../../../contract/sample-classes.js";
import { NodeCounts } from "../columns/node-counts.js";
import { isWorkClass } from "../tables/label-sets.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import type { StackTrie } from "../tables/stack-trie.js";
import type { CaptureCounts } from "./capture-counts.js";

export class SampleSelection {
  readonly #tables: ProfileTables;
  readonly #counts: CaptureCounts;
  readonly #filter: SampleFilter;
  /** Null: all. */
  readonly #labelSets: Uint8Array | null;
  readonly #nodes: Uint8Array | null;
  readonly isEverything: boolean;

  constructor(tables: ProfileTables, counts: CaptureCounts, filter: SampleFilter = {}) {
    this.#tables = tables;
    this.#counts = counts;
    this.#filter = filter;
    this.#labelSets = wantedLabelSets(tables, filter);
    this.#nodes = wantedNodes(tables, filter);
    this.isEverything = this.#labelSets === null && this.#nodes === null && filter.timeMs === undefined;
  }

  /** Calls `take` for each row that counts. */
  each(take: (node: number, labelSet: number, count: number) => void): void {
    const { samples } = this.#tables;
    const nodes = samples.node.data;
    const labels = samples.labels.data;
    const counts = samples.count.data;
    const buckets = samples.bucketMs.data;
    const labelSets = this.#labelSets;
    const wanted = this.#nodes;
    const { from, to } = this.#filter.timeMs ?? { from: 0, to: Infinity };
    for (let row = 0, length = samples.length; row < length; row++) {
      const labelSet = labels[row] as number;
      if (labelSets !== null && labelSets[labelSet] === 0) continue;
      const node = nodes[row] as number;
      if (wanted !== null && wanted[node] === 0) continue;
      const bucket = buckets[row] as number;
      if (bucket < from || bucket >= to) continue;
      take(node, labelSet, counts[row] as number);
    }
  }

  /** Samples with exactly the stack of each node. Not to be changed. */
  nodeSelf(): NodeCounts {
    if (this.isEverything) return this.#counts.nodeSelf(this.#tables);
    return NodeCounts.of(this.#tables.stacks.size, (take) => this.each((node, _, count) => take(node, count)));
  }

  /** By label set. */
  labelSamples(): Uint32Array {
    if (this.isEverything) return this.#counts.labelSamples.data.subarray(0, this.#tables.labels.size);
    const samples = new Uint32Array(this.#tables.labels.size);
    this.each((_, labelSet, count) => {
      samples[labelSet] = (samples[labelSet] as number) + count;
    });
    return samples;
  }

  totals(): CaptureTotals {
    if (this.isEverything) return { samples: this.#counts.samples, busy: this.#counts.busy };
    let samples = 0;
    let busy = 0;
    for (const [labelSet, count] of this.labelSamples().entries()) {
      samples += count;
      if (isWorkClass(this.#tables.labels.class.at(labelSet))) busy += count;
    }
    return { samples, busy };
  }
}

/** From samples with exactly a node's stack to samples in it or below; not for the root. A column of all nodes: where each is looked at once, `eachTotal` of the tree does without. */
export function totalsOf(stacks: StackTrie, nodeSelf: NodeCounts): Uint32Array {
  const totals = new Uint32Array(stacks.size);
  stacks.nodes.eachTotal(nodeSelf, (node, total) => {
    totals[node] = total;
    return true;
  });
  return totals;
}

function wantedLabelSets(
  { labels }: ProfileTables,
  { nodes, schedulers, processes, classes }: SampleFilter,
): Uint8Array | null {
  if (nodes === undefined && schedulers === undefined && processes === undefined && classes === undefined) return null;
  const wanted = (values: readonly string[] | undefined) => {
    const set = values && new Set(values);
    return (value: string) => set === undefined || set.has(value);
  };
  // A capture of one VM has no nodes, so none of its samples matches a wanted node.
  const node = labels.nodes.length === 0 ? [wanted(nodes)("")] : labels.nodes.map(wanted(nodes));
  const scheduler = labels.schedulers.map(wanted(schedulers));
  const process = labels.processes.map(wanted(processes));
  const classWanted = [...SAMPLE_CLASSES, ""].map(wanted(classes));
  return Uint8Array.from({ length: labels.size }, (_, set) =>
    node[labels.node.at(set)] &&
    scheduler[labels.scheduler.at(set)] &&
    process[labels.process.at(set)] &&
    classWanted[labels.class.at(set)]
      ? 1
      : 0,
  );
}

function wantedNodes(
  { stacks, functions }: ProfileTables,
  { focus = "", ignore = "" }: SampleFilter,
): Uint8Array | null {
  if (focus === "" && ignore === "") return null;
  const FOCUS = 1;
  const IGNORE = 2;
  const matches = (name: string, text: string) => text !== "" && name.includes(text.toLowerCase());
  const ofFunction = Uint8Array.from(functions.facts, ({ name }) => {
    const lower = name.toLowerCase();
    return (matches(lower, focus) ? FOCUS : 0) | (matches(lower, ignore) ? IGNORE : 0);
  });
  const frames = stacks.nodes.label.data;
  const frameFunction = functions.frames.first.data;
  const seen = new Uint8Array(stacks.size);
  for (let node = 1; node < seen.length; node++) {
    seen[node] =
      (seen[stacks.parentOf(node)] as number) | (ofFunction[frameFunction[frames[node] as number] as number] as number);
  }
  const needed = focus === "" ? 0 : FOCUS;
  return seen.map((bits) => ((bits & IGNORE) === 0 && (bits & needed) === needed ? 1 : 0));
}
