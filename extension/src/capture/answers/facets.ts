import type { Facet } from "../../../../contract/capture-answers.js";
import type { GrowingNumbers } from "../columns/growing-numbers.js";
import type { Facets } from "../questions.js";
import type { LabelSets } from "../tables/label-sets.js";
import { classShares } from "./class-split.js";

const inNumberOrder = new Intl.Collator("en", { numeric: true });

/** What samples can be filtered by. Schedulers are in the order of their numbers, the rest by samples. */
export function facetsOf(labels: LabelSets, labelSamples: Uint32Array): Facets {
  const count = (values: readonly string[], column: GrowingNumbers): Facet[] => {
    const samples = new Array<number>(values.length).fill(0);
    for (const [labelSet, counted] of labelSamples.entries())
      samples[column.at(labelSet)] = (samples[column.at(labelSet)] as number) + counted;
    return values
      .map((value, index) => ({ value, samples: samples[index] as number }))
      .filter((facet) => facet.samples > 0);
  };
  return {
    nodes: labels.nodes.length === 0 ? [] : count(labels.nodes, labels.node),
    schedulers: count(labels.schedulers, labels.scheduler).sort(
      (a, b) => Number(a.value === "") - Number(b.value === "") || inNumberOrder.compare(a.value, b.value),
    ),
    processes: count(labels.processes, labels.process).sort((a, b) => b.samples - a.samples),
    classes: classShares(labels, labelSamples).flatMap(({ sampleClass, samples }) =>
      sampleClass === null ? [] : [{ value: sampleClass, samples }],
    ),
  };
}
