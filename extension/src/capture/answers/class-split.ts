import type { ClassShare } from "../../../../contract/capture-answers.js";
import { SAMPLE_CLASSES } from "../../../../contract/sample-classes.js";
import { NO_CLASS, type LabelSets } from "../tables/label-sets.js";

/** From samples by label set to samples by class, largest first. */
export function classShares(labels: LabelSets, labelSamples: Uint32Array): ClassShare[] {
  const counts = new Array<number>(NO_CLASS + 1).fill(0);
  for (const [labelSet, count] of labelSamples.entries()) {
    const sampleClass = labels.class.at(labelSet);
    counts[sampleClass] = (counts[sampleClass] as number) + count;
  }
  return counts
    .map((samples, index) => ({ sampleClass: SAMPLE_CLASSES[index] ?? null, samples }))
    .filter(({ samples }) => samples > 0)
    .sort((a, b) => b.samples - a.samples);
}
