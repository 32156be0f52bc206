// Where values and commits lie in the chart. No page.

import type { ShownSeries } from "../../contract/messages/history.js";

export const HEIGHT = 240;
/** Above the highest interval, for the signs of steps. */
export const TOP = 34;
export const BOTTOM = 12;
const WIDEST_STEP = 60;
const NARROWEST_STEP = 12;
const LINES = 4;

export interface ChartScale {
  readonly width: number;
  x(commit: number): number;
  y(value: number): number;
  /** Values with a line across, the highest first. */
  readonly lines: readonly number[];
}

/** @param room px that the chart has without scrolling */
export function chartScale({ points }: ShownSeries, room: number): ChartScale {
  const step = Math.max(NARROWEST_STEP, Math.min(WIDEST_STEP, room / Math.max(points.length, 1)));
  const { low, high } = range(points);
  const span = Math.max(high - low, Number.MIN_VALUE);
  return {
    width: Math.max(step * points.length, step),
    x: (commit) => step * (commit + 0.5),
    y: (value) => HEIGHT - BOTTOM - (Math.min(Math.max(value - low, 0), span) / span) * (HEIGHT - TOP - BOTTOM),
    lines: Array.from({ length: LINES + 1 }, (_, line) => high - (span * line) / LINES),
  };
}

/** From nothing where the values come near it, else around them, so that a step of some percent is seen. An interval that is much larger than any value is cut. */
function range(points: ShownSeries["points"]): { readonly low: number; readonly high: number } {
  const most = points.reduce((largest, { value }) => Math.max(largest, value), 0);
  const highest = points.reduce((largest, { high }) => Math.max(largest, Math.min(high, most * 1.5)), 0);
  const lowest = points.reduce((smallest, { low }) => Math.min(smallest, low), Infinity);
  const high = highest > 0 ? highest : 1;
  const margin = (high - lowest) * 0.1;
  return lowest > high / 2 && Number.isFinite(lowest)
    ? { low: lowest - margin, high: high + margin }
    : { low: 0, high: high * 1.05 };
}
