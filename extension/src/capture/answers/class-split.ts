import { NO_CLASS, SAMPLE_CLASSES } from "../tables/label-sets.js";
import type { LabelSets } from "../tables/label-sets.js";
import type { ClassShare } from "../questions.js";

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
