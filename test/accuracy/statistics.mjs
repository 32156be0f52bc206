// Intervals for the shares of a sampler. Samples of one moment resemble each other, and the VM's
// own clock readings are not exact either, so nothing is assumed to be binomial: time is cut
// into batches, and the spread between batches, which holds every source of error, shows how
// far the mean of all can be trusted (the method of batch means).

/** Two-sided confidence of every interval published. */
export const CONFIDENCE = 0.99;

/**
 * @typedef {object} Batch   one stretch of time
 * @property {number[]} seen     samples by part
 * @property {number[]} trueNs   time of each part, as the VM reports it
 *
 * @typedef {object} Share       percent, or percentage points
 * @property {number} expected
 * @property {number} seen
 * @property {number} error      seen - expected
 * @property {number} halfWidth  of the confidence interval of `error`
 */

/**
 * Shares of each part: the VM's and the sampler's, and how well their difference is known.
 * A share is a ratio of sums over batches; its variance is that of the linearised ratio.
 * @param {Batch[]} batches
 * @returns {Share[]}
 */
export function compareShares(batches, confidence = CONFIDENCE) {
  const parts = batches[0]?.seen.length ?? 0;
  const count = batches.length;
  const seenTotals = batches.map(({ seen }) => sum(seen));
  const trueTotals = batches.map(({ trueNs }) => sum(trueNs));
  const [allSeen, allTrue] = [sum(seenTotals), sum(trueTotals)];
  if (count < 3 || allSeen === 0 || allTrue === 0)
    throw new Error(`${count} batches, ${allSeen} samples: nothing to compare`);
  return Array.from({ length: parts }, (_, part) => {
    const seenShare = sum(batches.map(({ seen }) => seen[part] ?? 0)) / allSeen;
    const trueShare = sum(batches.map(({ trueNs }) => trueNs[part] ?? 0)) / allTrue;
    const deviations = batches.map(
      ({ seen, trueNs }, index) =>
        ((seen[part] ?? 0) - seenShare * (seenTotals[index] ?? 0)) / (allSeen / count) -
        ((trueNs[part] ?? 0) - trueShare * (trueTotals[index] ?? 0)) / (allTrue / count),
    );
    const spread = Math.sqrt(sum(deviations.map((value) => value * value)) / (count - 1));
    const halfWidth = (studentQuantile(confidence, count - 1) * spread) / Math.sqrt(count);
    return {
      expected: 100 * trueShare,
      seen: 100 * seenShare,
      error: 100 * (seenShare - trueShare),
      halfWidth: 100 * halfWidth,
    };
  });
}

/**
 * The straight line through points, by least squares.
 * @param {{x: number, y: number}[]} points
 */
export function fitLine(points, confidence = CONFIDENCE) {
  const count = points.length;
  const meanX = sum(points.map(({ x }) => x)) / count;
  const meanY = sum(points.map(({ y }) => y)) / count;
  const spreadX = sum(points.map(({ x }) => (x - meanX) ** 2));
  if (count < 4 || spreadX === 0) throw new Error(`${count} points make no line`);
  const slope = sum(points.map(({ x, y }) => (x - meanX) * (y - meanY))) / spreadX;
  const residual = sum(points.map(({ x, y }) => (y - meanY - slope * (x - meanX)) ** 2));
  const deviation = Math.sqrt(residual / (count - 2) / spreadX);
  return { slope, halfWidth: studentQuantile(confidence, count - 2) * deviation };
}

/**
 * Middle and ends of some values: the summary for few values that a busy machine spreads.
 * @param {number[]} values
 */
export function rangeOf(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
  return { median, lowest: sorted[0] ?? NaN, highest: sorted.at(-1) ?? NaN };
}

/**
 * The largest share that `seen` events among `of` still leave possible (Wilson's interval).
 * @param {number} seen
 * @param {number} of
 */
export function upperBound(seen, of, confidence = CONFIDENCE) {
  if (of === 0) return 1;
  const z = studentQuantile(confidence, 1e6);
  const share = seen / of;
  const centre = share + (z * z) / (2 * of);
  return (centre + z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of))) / (1 + (z * z) / of);
}

/**
 * How many standard deviations to each side hold `confidence` of Student's distribution.
 * @param {number} confidence
 * @param {number} freedom   degrees of freedom
 */
export function studentQuantile(confidence, freedom) {
  let [low, high] = [0, 1000];
  for (let step = 0; step < 80; step++) {
    const middle = (low + high) / 2;
    if (1 - incompleteBeta(freedom / (freedom + middle * middle), freedom / 2, 0.5) < confidence) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The regularised incomplete beta function. @param {number} x @param {number} a @param {number} b @returns {number} */
function incompleteBeta(x, a, b) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  // Its continued fraction, evaluated from the inside.
  let fraction = 1;
  for (let m = 200; m >= 1; m--) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    fraction = 1 + even / (1 + odd / fraction);
  }
  const first = (-(a + b) * x) / (a + 1);
  return front / (1 + first / fraction);
}

/** Stirling's series, after shifting to where it converges. @param {number} x @returns {number} */
function logGamma(x) {
  if (x < 10) return logGamma(x + 1) - Math.log(x);
  const inverse = 1 / (x * x);
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / x;
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series;
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((a, b) => a + b, 0);
}
