import type { NodeShare } from "../../../../contract/capture-answers.js";
import { isWorkClass, type LabelSets } from "../tables/label-sets.js";
import { classShares } from "./class-split.js";

/** From samples by label set to what each node did, the busiest first. */
export function nodeShares(labels: LabelSets, labelSamples: Uint32Array): NodeShare[] {
  const ofNode = labels.nodes.map(() => new Uint32Array(labelSamples.length));
  const busy = new Array<number>(labels.nodes.length).fill(0);
  const samples = new Array<number>(labels.nodes.length).fill(0);
  if (ofNode.length === 0) return [];
  for (const [labelSet, count] of labelSamples.entries()) {
    const node = labels.node.at(labelSet);
    (ofNode[node] as Uint32Array)[labelSet] = count;
    samples[node] = (samples[node] as number) + count;
    if (isWorkClass(labels.class.at(labelSet))) busy[node] = (busy[node] as number) + count;
  }
  return labels.nodes
    .map((name, node) => ({
      name,
      samples: samples[node] as number,
      busy: busy[node] as number,
      classes: classShares(labels, ofNode[node] as Uint32Array),
    }))
    .sort((a, b) => b.busy - a.busy);
}
