// From samples to one of five levels of heat. No vscode in here.

/** 1 is the coolest level that is shown, 5 the hottest; 0 is not shown. */
export type HeatLevel = 0 | 1 | 2 | 3 | 4 | 5;

export interface HeatScale {
  /** Own samples of the hottest line: what level 5 is measured by. */
  readonly hottest: number;
  /** Busy samples of the capture: what the minimum is a share of. */
  readonly busy: number;
  /** Lines below this share of `busy` are not shown, percent. */
  readonly minimumPercent: number;
}

/**
 * The level of a line with so many own samples. The root of its share of the hottest line: where one line dominates,
 * the next ones still part from the cold ones.
 */
export function heatLevel(own: number, { hottest, busy, minimumPercent }: HeatScale): HeatLevel {
  if (own <= 0 || hottest <= 0 || own * 100 < minimumPercent * busy) return 0;
  return Math.min(5, Math.max(1, Math.ceil(Math.sqrt(own / hottest) * 5))) as HeatLevel;
}
