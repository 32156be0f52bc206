// One graph on screen: its canvas, scroll, zoom and selection, kept through refreshes.

import type { FlameData } from "../../contract/flame-data.js";
import type { Orientation, SavedPlace } from "../../contract/messages/flame-graph.js";
import { element } from "../elements/dom.js";
import { onPixelRatioChange } from "../elements/pixel-ratio.js";
import { nodeColours, type Palette } from "./colour.js";
import type { FoldedGraph } from "./folded-frames.js";
import { neighbour, nodeAt, type Direction } from "./hit-test.js";
import { createLayout, spanOf, type Layout, type Span } from "./layout.js";
import { anchorSpan, findPath, pathOf, resolveSpan, type SpanAnchor } from "./path-match.js";
import { charWidthPx, FONT_PX, paint, rowAt, rowTop, ROW_PX, type Scene } from "./renderer.js";
import { between, clampSpan, panSpan, zoomSpan } from "./viewport.js";

const ZOOM_MS = 140;
/** A press that moves less is a click. */
const DRAG_FROM_PX = 4;
/** As many zooms as can be gone back. */
const MOST_ZOOMS = 50;

export interface PaneEvents {
  readonly selected: (pane: FlamePane) => void;
  readonly hovered: (pane: FlamePane, node: number, x: number, y: number) => void;
  /** A double click on the selected frame. */
  readonly activated: (pane: FlamePane) => void;
  readonly openSource: (pane: FlamePane) => void;
  /** A menu of the selected frame is wanted at a place of the window. */
  readonly menu: (x: number, y: number) => void;
  readonly key: (event: KeyboardEvent, pane: FlamePane) => void;
  readonly painted: (pane: FlamePane) => void;
  readonly focused: (pane: FlamePane) => void;
  /** Another part of the graph is in sight. */
  readonly moved: (pane: FlamePane) => void;
}

export class FlamePane {
  readonly canvas = element("canvas", { tabindex: "0", role: "application", "aria-roledescription": "flame graph" });
  private readonly spacer = element("div", { class: "pane-spacer" }, this.canvas);
  private readonly scroller = element("div", { class: "pane-scroller" }, this.spacer);
  readonly element = element("section", { class: "pane" }, this.scroller);

  layout: Layout | null = null;
  span: Span = { left: 0, right: 1 };
  selected = 0;
  hovered = -1;
  orientation: Orientation = "icicle";
  /** 1 for each node that a search found. */
  matches: Uint8Array | null = null;
  /** Where the graph is drawn with its native frames folded. */
  folded: FoldedGraph | null = null;
  lastPaintMs = 0;
  private colourOf: (node: number) => number = () => 0;
  private palette: Palette | null = null;
  private font = `${FONT_PX}px monospace`;
  private charPx = 7;
  private paintRequested = false;
  private animation: { from: Span; to: Span; startedMs: number } | null = null;
  /** The places before each zoom, the last one at the end. */
  private zooms: SpanAnchor[] = [];
  private drag: Drag | null = null;
  /** The press that ended last was no click. */
  private wasDragged = false;

  constructor(
    label: string,
    private readonly events: PaneEvents,
    private readonly reducedMotion: () => boolean,
  ) {
    this.label(label);
    this.scroller.tabIndex = -1;
    this.scroller.addEventListener("scroll", () => this.ask());
    new ResizeObserver(() => this.resized()).observe(this.scroller);
    onPixelRatioChange(() => this.resized());
    this.canvas.addEventListener("keydown", (event) => this.events.key(event, this));
    this.canvas.addEventListener("focus", () => {
      this.events.focused(this);
      this.ask();
    });
    this.canvas.addEventListener("blur", () => {
      this.events.hovered(this, -1, 0, 0);
      this.ask();
    });
    this.canvas.addEventListener("pointerdown", (event) => this.onPress(event));
    this.canvas.addEventListener("pointermove", (event) => {
      if (!this.dragTo(event)) this.hover(this.nodeUnder(event), event.clientX, event.clientY);
    });
    this.canvas.addEventListener("pointerup", () => this.endDrag());
    this.canvas.addEventListener("pointercancel", () => this.endDrag());
    this.canvas.addEventListener("pointerleave", () => this.hover(-1, 0, 0));
    this.canvas.addEventListener("click", (event) => this.onClick(event));
    this.canvas.addEventListener("dblclick", (event) => this.onDoubleClick(event));
    this.canvas.addEventListener("contextmenu", (event) => this.onContextMenu(event));
    this.canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
  }

  label(text: string): void {
    this.canvas.setAttribute("aria-label", text);
  }

  get data(): FlameData | null {
    return this.layout?.data ?? null;
  }

  setTheme(palette: Palette, fontFamily: string): void {
    this.palette = palette;
    this.font = `${FONT_PX}px ${fontFamily}`;
    const context = this.canvas.getContext("2d");
    if (context) {
      context.font = this.font;
      this.charPx = charWidthPx(context);
    }
    this.ask();
  }

  /** The same place in the new data; `fresh` forgets the old one. */
  setData(data: FlameData, fresh: boolean, folded: FoldedGraph | null = null): void {
    const before = fresh ? null : this.layout;
    if (!before) this.zooms = [];
    const floorPx = this.floorDistancePx();
    const after = createLayout(data);
    // A zoom under way ends where it was going.
    const span = this.target();
    this.animation = null;
    this.span = before
      ? clampSpan(resolveSpan(after, anchorSpan(before, span)), data.nodeTotal[0] ?? 1)
      : spanOf(data, 0);
    this.selected = before ? findPath(after, pathOf(before.data, this.selected)).node : 0;
    this.hovered = -1;
    this.layout = after;
    this.folded = folded;
    this.matches = null;
    this.colourOf = nodeColours(data);
    this.sizeSpacer();
    if (this.orientation === "flame")
      this.scroller.scrollTop = this.spacerPx() - this.scroller.clientHeight - (before ? floorPx : 0);
    else if (!before) this.scroller.scrollTop = 0;
    this.ask();
  }

  /** By names, so that it can be found again in another page. */
  place(): SavedPlace | null {
    if (!this.layout) return null;
    return {
      selected: pathOf(this.layout.data, this.selected),
      zoom: anchorSpan(this.layout, this.target()),
    };
  }

  setPlace({ selected, zoom }: SavedPlace): void {
    if (!this.layout) return;
    this.selected = findPath(this.layout, selected).node;
    this.jump(clampSpan(resolveSpan(this.layout, zoom), this.total()));
    this.reveal();
  }

  clear(): void {
    this.layout = null;
    this.folded = null;
    this.ask();
  }

  setOrientation(orientation: Orientation): void {
    if (this.orientation === orientation) return;
    const fromRoot = orientation === "flame" ? this.scroller.scrollTop : this.floorDistancePx();
    this.orientation = orientation;
    this.scroller.scrollTop =
      orientation === "icicle" ? fromRoot : this.spacerPx() - this.scroller.clientHeight - fromRoot;
    this.ask();
  }

  select(node: number): void {
    this.selected = node;
    this.reveal();
    this.ask();
  }

  move(direction: Direction): void {
    if (!this.layout) return;
    const span = this.target();
    const next = neighbour(this.layout, this.selected, direction, span);
    const there = spanOf(this.layout.data, next);
    this.select(next);
    if (there.right <= span.left || there.left >= span.right) this.goTo(there);
  }

  zoomTo(node: number): void {
    if (!this.layout) return;
    const there = clampSpan(spanOf(this.layout.data, node), this.total());
    if (!isSame(there, this.target())) {
      this.zooms = [...this.zooms, anchorSpan(this.layout, this.target())].slice(-MOST_ZOOMS);
      this.goTo(there);
    }
    this.reveal(node);
  }

  /** To the selected frame; back where it is zoomed to already. */
  zoomOrBack(): void {
    if (!this.layout) return;
    const there = clampSpan(spanOf(this.layout.data, this.selected), this.total());
    if (!isSame(there, this.target())) this.zoomTo(this.selected);
    else if (this.zooms.length > 0) this.zoomBack();
  }

  /** To the place before the last zoom; else to the smallest frame that is wider than the part in sight. */
  zoomBack(): void {
    if (!this.layout) return;
    for (let last = this.zooms.pop(); last !== undefined; last = this.zooms.pop()) {
      const there = clampSpan(resolveSpan(this.layout, last), this.total());
      if (!isSame(there, this.target())) return this.goTo(there);
    }
    const { data } = this.layout;
    const width = this.target().right - this.target().left;
    let node = this.selected;
    while (node > 0 && (data.nodeTotal[node] as number) <= width) node = data.nodeParent[node] as number;
    this.selected = node;
    this.goTo(spanOf(data, node));
    this.reveal();
  }

  resetZoom(): void {
    this.zooms = [];
    if (this.layout) this.goTo(spanOf(this.layout.data, 0));
  }

  zoom(factor: number, anchor?: number): void {
    if (!this.layout) return;
    const { left, right } = spanOf(this.layout.data, this.selected);
    const middle = (Math.max(left, this.span.left) + Math.min(right, this.span.right)) / 2;
    const inSight = middle >= this.span.left && middle <= this.span.right;
    this.jump(
      zoomSpan(this.span, factor, anchor ?? (inSight ? middle : (this.span.left + this.span.right) / 2), this.total()),
    );
  }

  pan(share: number): void {
    this.jump(panSpan(this.span, share, this.total()));
  }

  centre(share: number): void {
    const width = this.span.right - this.span.left;
    this.jump(
      clampSpan({ left: share * this.total() - width / 2, right: share * this.total() + width / 2 }, this.total()),
    );
  }

  scrollPages(pages: number): void {
    this.scroller.scrollTop += pages * this.scroller.clientHeight;
  }

  /** Middle of the selected frame on the window. */
  selectedPlace(): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    if (!this.layout) return { x: box.left, y: box.top };
    const { left, right } = spanOf(this.layout.data, this.selected);
    const perSample = box.width / (this.span.right - this.span.left);
    const middle = (Math.max(left, this.span.left) + Math.min(right, this.span.right)) / 2;
    const row = this.layout.data.nodeDepth[this.selected] ?? 0;
    return {
      x: box.left + (middle - this.span.left) * perSample,
      y: box.top + rowTop(row, this.contentPx(), this.orientation) - this.scroller.scrollTop + ROW_PX / 2,
    };
  }

  scene(): Scene | null {
    if (!this.layout || !this.palette) return null;
    return {
      layout: this.layout,
      colourOf: this.colourOf,
      palette: this.palette,
      span: this.span,
      widthPx: this.scroller.clientWidth,
      heightPx: this.scroller.clientHeight,
      scrollPx: this.scroller.scrollTop,
      orientation: this.orientation,
      matches: this.matches,
      selected: this.selected,
      hovered: this.hovered,
      focused: document.activeElement === this.canvas,
      font: this.font,
      charPx: this.charPx,
    };
  }

  /** Paints on the next frame. */
  ask(): void {
    if (this.paintRequested) return;
    this.paintRequested = true;
    requestAnimationFrame((now) => {
      this.paintRequested = false;
      this.paintNow(now);
    });
  }

  paintNow(now: number): void {
    if (this.animation) {
      const done = (now - this.animation.startedMs) / ZOOM_MS;
      this.span = between(this.animation.from, this.animation.to, done);
      if (done >= 1) this.animation = null;
      else this.ask();
    }
    const startedMs = performance.now();
    const scene = this.scene();
    const context = this.canvas.getContext("2d");
    if (!context) return;
    if (!scene) {
      context.clearRect(0, 0, this.canvas.width, this.canvas.height);
      return;
    }
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    paint(context, scene);
    this.lastPaintMs = performance.now() - startedMs;
    this.events.painted(this);
  }

  private total(): number {
    return Math.max(this.data?.nodeTotal[0] ?? 1, 1);
  }

  /** The part in sight, or the one at the end of a zoom under way. */
  private target(): Span {
    return this.animation?.to ?? this.span;
  }

  private goTo(span: Span): void {
    const to = clampSpan(span, this.total());
    if (this.reducedMotion()) {
      this.jump(to);
      return;
    }
    this.animation = { from: this.span, to, startedMs: performance.now() };
    this.ask();
  }

  private jump(span: Span): void {
    this.animation = null;
    this.span = span;
    this.ask();
  }

  private contentPx(): number {
    return Math.max((this.layout?.rowCount ?? 0) * ROW_PX, this.scroller.clientHeight);
  }

  private spacerPx(): number {
    return this.contentPx();
  }

  private floorDistancePx(): number {
    return this.spacerPx() - this.scroller.clientHeight - this.scroller.scrollTop;
  }

  private sizeSpacer(): void {
    this.spacer.style.height = `${this.spacerPx()}px`;
  }

  private resized(): void {
    const floorPx = this.floorDistancePx();
    const { clientWidth, clientHeight } = this.scroller;
    this.canvas.width = Math.round(clientWidth * devicePixelRatio);
    this.canvas.height = Math.round(clientHeight * devicePixelRatio);
    this.canvas.style.width = `${clientWidth}px`;
    this.canvas.style.height = `${clientHeight}px`;
    this.sizeSpacer();
    if (this.orientation === "flame") this.scroller.scrollTop = this.spacerPx() - clientHeight - Math.max(floorPx, 0);
    this.paintNow(performance.now());
  }

  private reveal(node = this.selected): void {
    if (!this.layout) return;
    const top = rowTop(this.layout.data.nodeDepth[node] ?? 0, this.contentPx(), this.orientation);
    const { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop) this.scroller.scrollTop = top - ROW_PX;
    else if (top + ROW_PX > scrollTop + clientHeight) this.scroller.scrollTop = top + ROW_PX * 2 - clientHeight;
  }

  private sampleAt(clientX: number): number {
    const box = this.canvas.getBoundingClientRect();
    return this.span.left + ((clientX - box.left) / Math.max(box.width, 1)) * (this.span.right - this.span.left);
  }

  private nodeUnder(event: MouseEvent): number {
    if (!this.layout) return -1;
    const y = event.clientY - this.canvas.getBoundingClientRect().top + this.scroller.scrollTop;
    return nodeAt(this.layout, rowAt(y, this.contentPx(), this.orientation), this.sampleAt(event.clientX));
  }

  private hover(node: number, x: number, y: number): void {
    const changed = node !== this.hovered;
    this.hovered = node;
    this.events.hovered(this, node, x, y);
    if (changed) this.ask();
  }

  private onClick(event: MouseEvent): void {
    const node = this.wasDragged ? -1 : this.nodeUnder(event);
    if (node < 0) return;
    this.selected = node;
    this.events.selected(this);
    if (event.ctrlKey || event.metaKey) this.events.openSource(this);
    this.ask();
  }

  private onDoubleClick(event: MouseEvent): void {
    if (this.wasDragged || event.ctrlKey || event.metaKey || this.nodeUnder(event) !== this.selected) return;
    this.events.activated(this);
  }

  private onPress(event: PointerEvent): void {
    this.wasDragged = false;
    if (event.button !== 0) return;
    this.drag = {
      pointer: event.pointerId,
      x: event.clientX,
      y: event.clientY,
      span: this.target(),
      scrollPx: this.scroller.scrollTop,
    };
  }

  /** The graph follows the pointer as paper does. False: nothing is dragged. */
  private dragTo(event: PointerEvent): boolean {
    const { drag } = this;
    if (!drag || drag.pointer !== event.pointerId) return false;
    // The button was let go outside of the graph.
    if (!(event.buttons & 1)) {
      this.endDrag();
      return false;
    }
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!this.wasDragged) {
      if (Math.hypot(dx, dy) < DRAG_FROM_PX) return false;
      this.wasDragged = true;
      this.canvas.setPointerCapture(event.pointerId);
      this.canvas.classList.add("dragged");
      this.hover(-1, 0, 0);
    }
    this.jump(panSpan(drag.span, -dx / Math.max(this.canvas.clientWidth, 1), this.total()));
    this.scroller.scrollTop = drag.scrollPx - dy;
    return true;
  }

  private endDrag(): void {
    if (this.drag && this.wasDragged) this.events.moved(this);
    this.drag = null;
    this.canvas.classList.remove("dragged");
  }

  private onContextMenu(event: MouseEvent): void {
    event.preventDefault();
    const node = this.nodeUnder(event);
    if (node < 0) return;
    this.canvas.focus();
    this.selected = node;
    this.events.selected(this);
    this.ask();
    this.events.menu(event.clientX, event.clientY);
  }

  private onWheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.zoom(Math.exp(Math.max(Math.min(event.deltaY, 200), -200) * 0.004), this.sampleAt(event.clientX));
      this.events.moved(this);
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.pan((event.shiftKey ? event.deltaY || event.deltaX : event.deltaX) / Math.max(this.canvas.clientWidth, 1));
      this.events.moved(this);
    }
  }
}

/** A press on the graph, and the part in sight then. */
interface Drag {
  readonly pointer: number;
  readonly x: number;
  readonly y: number;
  readonly span: Span;
  readonly scrollPx: number;
}

function isSame(one: Span, other: Span): boolean {
  const near = (a: number, b: number) => Math.abs(a - b) <= 1e-6 * Math.max(one.right - one.left, 1);
  return near(one.left, other.left) && near(one.right, other.right);
}
