// Whether the difference between two counts is more than chance explains. Each is judged alone: of many, some differ by chance. Verdicts on functions are those of the editor's module.

import type { NodeChange } from "../../../../contract/flame-data.js";

/** One side of a difference. */
export interface JudgedSide {
  /** In a unit that both sides have. */
  readonly value: number;
  readonly samples: number;
  /** What one sample stands for, in that unit. */
  readonly perSample: number;
}

/** Less than that is no change, however certain. */
const LEAST_CHANGE = 0.01;
/** Standard errors from which on a difference is more than chance explains. */
const CERTAIN = 2;
/** Samples that a side would have had from which on it is no accident that it has none. */
const EXPECTED = 10;

/** Of the logarithm of a ratio, by how runs differ. @param spreadPercent from run to run @param captures on each side */
export function runVariance(spreadPercent: number, captures: readonly [number, number]): number {
  return captures.reduce((sum, count) => sum + (spreadPercent / 100) ** 2 / Math.max(count, 1), 0);
}

export function judgedChange(before: JudgedSide, after: JudgedSide, variance: number): NodeChange {
  if (before.value === 0 || after.value === 0) {
    if (before.value === after.value) return "none";
    const [there, missing, change] =
      before.value === 0 ? ([after, before, "new"] as const) : ([before, after, "gone"] as const);
    const expected = missing.perSample > 0 ? there.value / missing.perSample : 0;
    return expected < EXPECTED ? "none" : change;
  }
  const ratio = after.value / before.value;
  const error = Math.sqrt(1 / before.samples + 1 / after.samples + variance);
  if (Math.abs(Math.log(ratio)) <= CERTAIN * error || Math.abs(ratio - 1) < LEAST_CHANGE) return "none";
  return ratio > 1 ? "more" : "less";
}
