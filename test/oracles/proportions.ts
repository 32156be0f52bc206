// Whether two samplings of the same load saw the same shares.
//
// The difference of two shares p and q of n and m samples has the variance s(1-s)(1/n + 1/m) when both are s and the
// samples are independent. They are here: a slice of the load is shorter than the time between two samples, and their
// order is another in every turn, so that no sample depends on the one before. (Slices that are longer would make
// neighbours alike, and the variance larger by about the number of samples in a slice. Short ones in one order do the
// same where a turn is as long as a few of the times between two samples: by a third for a turn of three.) Since many
// shares are compared at once, each interval is so wide that all of them hold together with the requested confidence.

export interface ComparedShare {
  name: string;
  first: number;
  second: number;
  /** Half the width of the interval of their difference. */
  margin: number;
  inside: boolean;
}

/**
 * @param names the names to compare, of the counts
 * @param mistakeRate how often any of the comparisons may fail although nothing differs
 */
export function compareShares(
  names: readonly string[],
  first: { counts: ReadonlyMap<string, number>; samples: number },
  second: { counts: ReadonlyMap<string, number>; samples: number },
  mistakeRate: number,
): ComparedShare[] {
  const z = normalQuantile(1 - mistakeRate / (2 * names.length));
  return names.map((name) => {
    const [a, b] = [first.counts.get(name) ?? 0, second.counts.get(name) ?? 0];
    const shared = (a + b) / (first.samples + second.samples);
    const margin = z * Math.sqrt(shared * (1 - shared) * (1 / first.samples + 1 / second.samples));
    const [p, q] = [a / first.samples, b / second.samples];
    return { name, first: p, second: q, margin, inside: Math.abs(p - q) <= margin };
  });
}

/** The names with the most samples in both together. */
export function topNames(count: number, ...counts: ReadonlyMap<string, number>[]): string[] {
  const sums = new Map<string, number>();
  for (const map of counts) for (const [name, samples] of map) sums.set(name, (sums.get(name) ?? 0) + samples);
  return [...sums]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, count)
    .map(([name]) => name);
}

/** The value below which a standard normal variable is with this probability. */
export function normalQuantile(probability: number): number {
  let [low, high] = [-10, 10];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (normalProbability(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Probability of a value below x: the integral of the density, by Simpson's rule. */
function normalProbability(x: number): number {
  const density = (at: number): number => Math.exp((-at * at) / 2) / Math.sqrt(2 * Math.PI);
  const steps = 400;
  const width = x / steps;
  let sum = density(0) + density(x);
  for (let index = 1; index < steps; index += 1) sum += (index % 2 === 0 ? 2 : 4) * density(index * width);
  return 0.5 + (sum * width) / 3;
}

export const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
