// Samples told apart by process or scheduler, for a graph whose first level is those.

import type { GroupBy } from "../../../../contract/flame-data.js";
import type { SampleSelection } from "../answers/sample-selection.js";
import { GrowingNumbers } from "../columns/growing-numbers.js";
import { PairTable } from "../columns/pair-table.js";
import type { LabelSets } from "../tables/label-sets.js";

/** More could not be told apart on a screen; a VM may have had millions of processes. */
const MAX_GROUPS = 1 << 16;

export interface GroupedSamples {
  /** Labels of the groups as the file has them; `''` is none. */
  readonly values: readonly string[];
  /** The entries of group g are numbered `first[g]` up to `first[g + 1]`; an entry is a node of the stacks with its samples in that group. */
  readonly first: Uint32Array;
  readonly node: Uint32Array;
  readonly samples: Uint32Array;
  /** Samples of groups that are too many to show. */
  readonly leftOut: number;
}

export function groupedSamples(
  labels: LabelSets,
  selection: SampleSelection,
  groupBy: Exclude<GroupBy, "none">,
  most = MAX_GROUPS,
): GroupedSamples {
  const [values, column] = labelsBy(labels, groupBy);
  const entries = new PairTable();
  const samples = new GrowingNumbers();
  const ofValue = new Float64Array(values.length);
  selection.each((node, labelSet, count) => {
    const value = column.at(labelSet);
    const entry = entries.add(value, node);
    samples.extendTo(entries.size);
    samples.data[entry] = samples.at(entry) + count;
    ofValue[value] = (ofValue[value] as number) + count;
  });
  const kept = largestValues(ofValue, most);
  const groupOf = new Int32Array(values.length).fill(-1);
  kept.forEach((value, group) => (groupOf[value] = group));
  const first = new Uint32Array(kept.length + 1);
  let leftOut = 0;
  for (let entry = 0; entry < entries.size; entry++) {
    const group = groupOf[entries.first.at(entry)] as number;
    if (group < 0) leftOut += samples.at(entry);
    else first[group + 1] = (first[group + 1] as number) + 1;
  }
  for (let group = 0; group < kept.length; group++)
    first[group + 1] = (first[group + 1] as number) + (first[group] as number);
  const size = first[kept.length] as number;
  const sorted = { node: new Uint32Array(size), samples: new Uint32Array(size) };
  const next = first.slice();
  for (let entry = 0; entry < entries.size; entry++) {
    const group = groupOf[entries.first.at(entry)] as number;
    if (group < 0) continue;
    const at = next[group] as number;
    next[group] = at + 1;
    sorted.node[at] = entries.second.at(entry);
    sorted.samples[at] = samples.at(entry);
  }
  return { values: kept.map((value) => values[value] as string), first, ...sorted, leftOut };
}

function labelsBy(
  labels: LabelSets,
  groupBy: Exclude<GroupBy, "none">,
): readonly [values: readonly string[], column: GrowingNumbers] {
  switch (groupBy) {
    case "process":
      return [labels.processes, labels.process];
    case "scheduler":
      return [labels.schedulers, labels.scheduler];
    case "node":
      // The name of the node is unknown here in a capture of one VM.
      return [labels.nodes.length === 0 ? [""] : labels.nodes, labels.node];
  }
}

/** Those with samples, or of too many the largest; in the order in which they were first seen. */
function largestValues(samples: Float64Array, most: number): number[] {
  const withSamples: number[] = [];
  for (let value = 0; value < samples.length; value++) if (samples[value] !== 0) withSamples.push(value);
  if (withSamples.length <= most) return withSamples;
  const bySamples = withSamples.sort((a, b) => (samples[b] as number) - (samples[a] as number) || a - b);
  return bySamples.slice(0, most).sort((a, b) => a - b);
}
