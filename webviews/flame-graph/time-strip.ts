// Busy samples over time in a strip: the warmer and higher, the busier. A drag or the keys take a range out of it.

import { bounded } from "../../contract/bounded.js";
import type { Stay, TimeGap, Timeline } from "../../contract/capture-answers.js";
import { element } from "../elements/dom.js";
import { onPixelRatioChange } from "../elements/pixel-ratio.js";
import { count } from "../words/figures.js";
import type { Palette } from "../graph/colour.js";
import { duration, samplesWord } from "../graph/graph-figures.js";
import { rangeOfNextStay, rangeOfStay, stayAt, stayOfRange } from "./stays-over-time.js";
import { S, stayText } from "./strings.js";
import { clearedStrip } from "./strip-canvas.js";
import { busyIn, draggedRange, rangeAfter, type TimeRange } from "./time-range.js";

const HEIGHT_PX = 28;
const SHORTEST_DRAG_PX = 3;
const HATCH_PX = 6;
/** Marks of long collections and calls, along the upper edge; a pointer finds them a little beside them, too. */
const STAY_PX = 4;
const STAY_REACH_PX = 10;
const STAY_BESIDE_PX = 3;
/** Keys come in rows; the host builds when they pause. */
const SETTLE_MS = 200;

export class TimeStrip {
  readonly canvas = element("canvas", {
    class: "time-canvas",
    role: "slider",
    tabindex: "0",
    "aria-label": S.timeRange,
    "aria-valuemin": "0",
  });
  private readonly shown = element("span", { class: "time-shown" });
  readonly element = element(
    "section",
    { class: "time-strip", "aria-label": S.time, hidden: true },
    element("span", { class: "time-title" }, S.time),
    this.canvas,
    this.shown,
  );
  #timeline: Timeline | null = null;
  #gaps: readonly TimeGap[] = [];
  #stays: readonly Stay[] = [];
  #range: TimeRange | null = null;
  #palette: Palette | null = null;
  #drag: { readonly atPx: number; readonly atMs: number } | null = null;
  #settling: ReturnType<typeof setTimeout> | undefined;

  /** @param chosen the range is taken: null for none */
  constructor(private readonly chosen: (range: TimeRange | null) => void) {
    new ResizeObserver(() => this.paint()).observe(this.canvas);
    onPixelRatioChange(() => this.paint());
    this.canvas.addEventListener("keydown", (event) => this.#onKey(event));
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.canvas.setPointerCapture(event.pointerId);
      this.#drag = { atPx: event.clientX, atMs: this.#msAt(event) };
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!this.#drag) return this.#say(event);
      this.#range = draggedRange(this.#drag.atMs, this.#msAt(event), this.#durationMs());
      this.paint();
    });
    this.canvas.addEventListener("pointerup", (event) => {
      if (!this.#drag) return;
      const dragged = Math.abs(event.clientX - this.#drag.atPx) >= SHORTEST_DRAG_PX;
      this.#range = dragged
        ? draggedRange(this.#drag.atMs, this.#msAt(event), this.#durationMs())
        : this.#rangeOfStayUnder(event);
      this.#drag = null;
      this.paint();
      this.chosen(this.#range);
    });
    this.canvas.addEventListener("pointercancel", () => {
      this.#drag = null;
    });
  }

  /** @param gaps times without observation @param stays long collections and calls, in the order of time */
  setTimeline(timeline: Timeline, gaps: readonly TimeGap[], stays: readonly Stay[]): void {
    this.#timeline = timeline;
    this.#gaps = gaps;
    this.#stays = stays;
    // A profile without the times of its samples has them all in one bucket.
    this.element.hidden = timeline.durationMs <= 0 || timeline.busy.length < 2;
    this.paint();
  }

  setTheme(palette: Palette): void {
    this.#palette = palette;
    this.paint();
  }

  /** As the filter has it. A range that is being chosen is not disturbed. */
  setRange(range: TimeRange | null): void {
    if (this.#drag || this.#settling !== undefined) return;
    this.#range = range;
    this.paint();
  }

  paint(): void {
    const timeline = this.#timeline;
    const palette = this.#palette;
    if (!timeline || !palette || this.element.hidden) return;
    this.#describe(timeline);
    const drawing = clearedStrip(this.canvas, HEIGHT_PX, palette);
    if (!drawing) return;
    const { context, widthPx } = drawing;
    const perMs = widthPx / timeline.durationMs;
    let most = 1;
    for (const samples of timeline.busy) most = Math.max(most, samples);
    for (const [bucket, samples] of timeline.busy.entries()) {
      const left = bucket * timeline.bucketMs * perMs;
      const right = Math.min((bucket + 1) * timeline.bucketMs * perMs, widthPx);
      const heat = samples / most;
      const heightPx = samples === 0 ? 0 : Math.max(heat * (HEIGHT_PX - 2), 2);
      context.fillStyle = palette.heat[
        Math.min(Math.floor(heat * palette.heat.length), palette.heat.length - 1)
      ] as string;
      context.fillRect(
        Math.floor(left),
        HEIGHT_PX - heightPx,
        Math.max(Math.floor(right) - Math.floor(left), 1),
        heightPx,
      );
    }
    for (const { fromMs, toMs } of this.#gaps)
      paintGap(context, palette, fromMs * perMs, Math.max((toMs - fromMs) * perMs, 2));
    context.fillStyle = palette.foreground;
    for (const { fromMs, toMs } of this.#stays)
      context.fillRect(fromMs * perMs, 0, Math.max((toMs - fromMs) * perMs, 2), STAY_PX);
    context.fillStyle = palette.tiny;
    context.fillRect(0, HEIGHT_PX - 1, widthPx, 1);
    if (this.#range) this.#paintRange(context, palette, this.#range.from * perMs, this.#range.to * perMs, widthPx);
  }

  #paintRange(context: CanvasRenderingContext2D, palette: Palette, from: number, to: number, widthPx: number): void {
    context.fillStyle = palette.background;
    context.globalAlpha = 0.7;
    context.fillRect(0, 0, from, HEIGHT_PX);
    context.fillRect(to, 0, widthPx - to, HEIGHT_PX);
    context.globalAlpha = 1;
    context.strokeStyle = palette.focus;
    context.lineWidth = 2;
    context.strokeRect(from + 1, 1, Math.max(to - from - 2, 1), HEIGHT_PX - 2);
  }

  #describe(timeline: Timeline): void {
    const length = duration(timeline.durationMs);
    const range = this.#range;
    const shown = range
      ? S.rangeOf(duration(range.from), duration(range.to), length, count(busyIn(timeline, range)))
      : S.wholeTime(length);
    const gone = this.#gaps.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    const gaps = this.#gaps.length === 0 ? [] : [S.gapsIn(this.#gaps.length, duration(gone))];
    // Without a pointer there is no tooltip.
    const chosen = range ? stayOfRange(this.#stays, range, this.#durationMs()) : undefined;
    const stays = this.#stays.length === 0 ? [] : [S.staysIn(this.#stays.length)];
    const text = [shown, ...(chosen ? [stayText(chosen)] : []), ...gaps, ...stays].join(" · ");
    this.canvas.setAttribute("aria-valuemax", String(Math.round(timeline.durationMs)));
    this.canvas.setAttribute("aria-valuenow", String(Math.round(range?.from ?? 0)));
    this.canvas.setAttribute("aria-valuetext", text);
    if (this.shown.textContent !== text) this.shown.textContent = text;
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#timeline) return;
    const { key, shiftKey } = event;
    const range =
      key.toLowerCase() === "m" && this.#stays.length > 0
        ? rangeOfNextStay(this.#stays, this.#range, shiftKey, this.#durationMs())
        : rangeAfter(key, shiftKey, this.#range, this.#durationMs());
    if (range === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#range = range;
    this.paint();
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      this.#settling = undefined;
      this.chosen(this.#range);
    }, SETTLE_MS);
  }

  #say(event: PointerEvent): void {
    const timeline = this.#timeline;
    if (!timeline) return;
    const stay = this.#stayUnder(event);
    if (stay) {
      this.canvas.title = stayText(stay);
      return;
    }
    const atMs = this.#msAt(event);
    const gap = this.#gaps.find(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
    if (gap) {
      this.canvas.title = S.gap(duration(gap.fromMs), duration(gap.toMs));
      return;
    }
    const bucket = bounded(Math.floor(atMs / timeline.bucketMs), 0, timeline.busy.length - 1);
    this.canvas.title = S.bucket(
      duration(bucket * timeline.bucketMs),
      samplesWord(timeline.busy[bucket] ?? 0),
      count(timeline.idle[bucket] ?? 0),
    );
  }

  #stayUnder(event: PointerEvent): Stay | undefined {
    const box = this.canvas.getBoundingClientRect();
    if (event.clientY - box.top > STAY_REACH_PX) return undefined;
    const besideMs = (STAY_BESIDE_PX * this.#durationMs()) / Math.max(box.width, 1);
    return stayAt(this.#stays, this.#msAt(event), besideMs);
  }

  /** A second press on the same mark removes its range. */
  #rangeOfStayUnder(event: PointerEvent): TimeRange | null {
    const stay = this.#stayUnder(event);
    const range = stay ? rangeOfStay(stay, this.#durationMs()) : null;
    return range?.from === this.#range?.from && range?.to === this.#range?.to ? null : range;
  }

  #msAt(event: PointerEvent): number {
    const box = this.canvas.getBoundingClientRect();
    return ((event.clientX - box.left) / Math.max(box.width, 1)) * this.#durationMs();
  }

  #durationMs(): number {
    return this.#timeline?.durationMs ?? 0;
  }
}

/** Hatched, so that it differs from a time without samples in any colours. */
function paintGap(context: CanvasRenderingContext2D, palette: Palette, leftPx: number, widthPx: number): void {
  context.save();
  context.beginPath();
  context.rect(leftPx, 0, widthPx, HEIGHT_PX);
  context.clip();
  context.strokeStyle = palette.tiny;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = leftPx - HEIGHT_PX; at < leftPx + widthPx; at += HATCH_PX) {
    context.moveTo(at, HEIGHT_PX);
    context.lineTo(at + HEIGHT_PX, 0);
  }
  context.stroke();
  context.restore();
}
