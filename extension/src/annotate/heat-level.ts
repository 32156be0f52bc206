// How hot a line is, in the five steps there are marks for.

export const LEVELS = 5;

export interface HeatScale {
  /** Self samples of the hottest line there is. */
  readonly hottest: number;
  readonly busy: number;
  /** Share of busy samples, in percent, below which a line is cold. */
  readonly minimumPercent: number;
}

/**
 * 0 for cold lines, else 1 to 5. By the square root of the share, for else one hot line leaves no step between itself and all others.
 * Lines that only lead to hot code get the lowest.
 */
export function heatLevel(self: number, total: number, scale: HeatScale): number {
  const needed = Math.max(1, (scale.busy * scale.minimumPercent) / 100);
  if (self >= needed) return Math.min(LEVELS, Math.max(1, Math.ceil(LEVELS * Math.sqrt(self / Math.max(scale.hottest, self)))));
  return total >= needed ? 1 : 0;
}
