// Medians and spreads; nothing here measures anything.

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
 * @typedef {{median: number, q1: number, q3: number, n: number}} Summary
 * @param {number[]} values
 * @returns {Summary}
 */
export function summary(values) {
  return { median: median(values), q1: quantile(values, 0.25), q3: quantile(values, 0.75), n: values.length };
}

/** @param {Summary} of @param {number} [digits] */
export function shown({ median: middle, q1, q3, n }, digits = 3) {
  return n === 0 ? "not measured" : `${middle.toFixed(digits)} (quartiles ${q1.toFixed(digits)}..${q3.toFixed(digits)}, n=${n})`;
}
