// From samples to one of five levels of heat. No vscode in here.

/** 1 is the coolest level that is shown, 5 the hottest; 0 is not shown. */
export type HeatLevel = 0 | 1 | 2 | 3 | 4 | 5;

export interface HeatScale {
  /** Samples of the hottest line: what level 5 is measured by. */
  readonly hottest: number;
  /** Lines with fewer samples are not hot. */
  readonly wanted: number;
  /** Lines with fewer samples are not shown; those with more, though not hot, have the coolest level. */
  readonly least: number;
}

/** So much of what there is to show is shown, however small its parts are. */
const SHOWN_SHARE = 0.9;

/**
 * The level of a line with so many samples. The root of its share of the hottest line: where one line dominates,
 * the next ones still part from the cold ones.
 */
export function heatLevel(samples: number, { hottest, wanted, least }: HeatScale): HeatLevel {
  if (samples <= 0 || hottest <= 0 || samples < least) return 0;
  if (samples < wanted) return 1;
  return Math.min(5, Math.max(1, Math.ceil(Math.sqrt(samples / hottest) * 5))) as HeatLevel;
}

/** The least samples that something has to have to be shown: as many as wanted, or fewer where many small ones make up the whole. */
export function leastShown(samples: readonly number[], wanted: number): number {
  const all = samples.reduce((sum, each) => sum + each, 0);
  let least = wanted;
  let shown = 0;
  for (const each of [...samples].sort((a, b) => b - a)) {
    if (shown >= all * SHOWN_SHARE) break;
    least = Math.min(least, each);
    shown += each;
  }
  return least;
}
