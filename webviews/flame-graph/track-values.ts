// Values of tracks as text, and the effect of keys in one.

import { bounded } from "../../contract/bounded.js";
import { memorySize } from "../../contract/figures.js";
import type { TrackName } from "../../contract/capture-answers.js";
import { count, decimal, LANGUAGE } from "../words/figures.js";
import { clipped } from "../../contract/plain-text.js";
import { S } from "./strings.js";

/** Below this, a rate has a digit behind the point. */
const SMALL_RATE = 100;
/** Buckets that Page Up and Page Down go. */
const LEAP = 10;
/** Text that is read out has an end; the legend has all. */
const MOST_READ_OUT = 8;
const LONGEST_NODE = 60;

/** `3 processes`; for a missing value, that it was not read. */
export function trackValue(name: TrackName, value: number): string {
  if (Number.isNaN(value)) return S.notRead;
  switch (name) {
    case "memory":
    case "rss":
      return memorySize(value, LANGUAGE);
    case "ioInRate":
    case "ioOutRate":
      return S.perSecond(memorySize(value, LANGUAGE));
    case "collectionRate":
    case "reductionRate":
    case "contextSwitchRate":
      return S.perSecond(value < SMALL_RATE ? decimal(value) : count(Math.round(value)));
    default:
      return count(value);
  }
}

/** Least and most of all that was read. */
export function trackSummary(name: TrackName, values: Float64Array): string {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (most < least) return S.notRead;
  return least === most ? trackValue(name, most) : S.trackRange(trackValue(name, least), trackValue(name, most));
}

/** The value of each VM, in one text: of one VM alone without its name. */
export function linesText(figures: readonly { readonly node: string | undefined; readonly figure: string }[]): string {
  const known = figures
    .slice(0, MOST_READ_OUT)
    .map(({ node, figure }) => (node === undefined ? figure : S.trackOf(clipped(node, LONGEST_NODE), figure)));
  if (known.length === 0) return S.notRead;
  const text = known.join("; ");
  return figures.length > known.length ? S.andMore(text, count(figures.length - known.length)) : text;
}

/** The bucket a key leads to; null for none of them, undefined when the key means nothing here. */
export function bucketAfter(key: string, at: number | null, buckets: number): number | null | undefined {
  const by = (step: number) => bounded((at ?? (step > 0 ? -1 : buckets)) + step, 0, buckets - 1);
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return by(-1);
    case "ArrowRight":
    case "ArrowUp":
      return by(1);
    case "PageDown":
      return by(-LEAP);
    case "PageUp":
      return by(LEAP);
    case "Home":
      return 0;
    case "End":
      return buckets - 1;
    case "Escape":
      return at === null ? undefined : null;
    default:
      return undefined;
  }
}
