// Medians, spreads and intervals; nothing here measures anything.
import { studentQuantile } from "../test/accuracy/statistics.mjs";

/** @param {number[]} values */
export function median(values) {
  return quantile(values, 0.5);
}

/**
 * Linear interpolation between order statistics.
 * @param {number[]} values
 * @param {number} share 0..1
 */
export function quantile(values, share) {
  if (values.length === 0) return NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const above = Math.ceil(place);
  const [low = NaN, high = NaN] = [sorted[below], sorted[above]];
  return low + (high - low) * (place - below);
}

/**
 * `mean` and `halfWidth`: the interval that holds the true mean in 95 of 100 benchmarks; the width is NaN for one value.
 * @typedef {{median: number, q1: number, q3: number, n: number, mean: number, halfWidth: number}} Summary
 * @param {number[]} values
 * @returns {Summary}
 */
export function summary(values) {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  const halfWidth =
    values.length < 2 ? NaN : studentQuantile(0.95, values.length - 1) * Math.sqrt(variance / values.length);
  return {
    median: median(values),
    q1: quantile(values, 0.25),
    q3: quantile(values, 0.75),
    n: values.length,
    mean,
    halfWidth,
  };
}

/** @param {Summary} of @param {number} [digits] */
export function shown({ median: middle, q1, q3, n }, digits = 3) {
  return n === 0
    ? "not measured"
    : `${middle.toFixed(digits)} (quartiles ${q1.toFixed(digits)}..${q3.toFixed(digits)}, n=${n})`;
}
