// Which lines of a function its change is at. No vscode in here.

/** Most lines that are named. */
const MOST = 5;
/** A line that explains less of the change is not named. */
const LEAST_PART = 0.15;

/**
 * Lines of the newer side, those that explain most of the change first: hotter ones of a function that takes more, cooler ones of one that takes less.
 * @param newer share of the time by line, with all that is called from there
 * @param base  the same of the older side
 * @param toNewer line of the newer text for one of the older text; 0 when it is gone
 * @param change  of the function as a whole, share
 */
export function changedLines(
  newer: ReadonlyMap<number, number>,
  base: ReadonlyMap<number, number>,
  toNewer: (line: number) => number,
  change: number,
): number[] {
  if (change === 0) return [];
  const before = new Map<number, number>();
  for (const [line, share] of base) {
    const to = toNewer(line);
    if (to > 0) before.set(to, (before.get(to) ?? 0) + share);
  }
  const lines = new Set([...newer.keys(), ...before.keys()]);
  const parts = [...lines].map((line) => ({ line, part: ((newer.get(line) ?? 0) - (before.get(line) ?? 0)) / change }));
  return parts
    .filter(({ part }) => part >= LEAST_PART)
    .sort((a, b) => b.part - a.part || a.line - b.line)
    .slice(0, MOST)
    .map(({ line }) => line);
}
