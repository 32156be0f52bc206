// Zoom and pan as arithmetic on spans.

import { bounded } from "../../contract/bounded.js";
import type { Span } from "./layout.js";

/** No closer than this many samples over the whole width. */
const NARROWEST_SAMPLES = 0.5;

export function clampSpan(span: Span, totalSamples: number): Span {
  const width = bounded(span.right - span.left, NARROWEST_SAMPLES, Math.max(totalSamples, NARROWEST_SAMPLES));
  const left = bounded(span.left, 0, Math.max(totalSamples - width, 0));
  return { left, right: left + width };
}

/** `factor` below 1 comes closer; the sample at `anchor` stays where it is. */
export function zoomSpan(span: Span, factor: number, anchor: number, totalSamples: number): Span {
  return clampSpan(
    { left: anchor - (anchor - span.left) * factor, right: anchor + (span.right - anchor) * factor },
    totalSamples,
  );
}

export function panSpan(span: Span, share: number, totalSamples: number): Span {
  const by = (span.right - span.left) * share;
  const left = bounded(span.left + by, 0, Math.max(totalSamples - (span.right - span.left), 0));
  return { left, right: left + (span.right - span.left) };
}

/** `done` of the way between two spans, slowing towards the end. */
export function between(from: Span, to: Span, done: number): Span {
  const eased = 1 - (1 - bounded(done, 0, 1)) ** 3;
  return { left: from.left + (to.left - from.left) * eased, right: from.right + (to.right - from.right) * eased };
}
