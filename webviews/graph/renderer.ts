// Draws the part in sight on a 2D canvas.

import type { Orientation } from "../../contract/messages/flame-graph.js";
import { SHADES, type Palette } from "./colour.js";
import { visitRow, type Layout, type Span } from "./layout.js";
import { changeMark, foldMark, levelsSuffix } from "./shares.js";
import { fitLabel } from "./text-fit.js";

export const ROW_PX = 20;
export const FONT_PX = 12;
const LABEL_PAD_PX = 4;

export interface Scene {
  readonly layout: Layout;
  /** Index into the palette's fills. */
  readonly colourOf: (node: number) => number;
  readonly palette: Palette;
  readonly span: Span;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly scrollPx: number;
  readonly orientation: Orientation;
  /** 1 for each node that a search found. */
  readonly matches: Uint8Array | null;
  readonly selected: number;
  readonly hovered: number;
  readonly focused: boolean;
  readonly font: string;
  readonly charPx: number;
}

/** Row at a height on the content; may be outside of the graph. */
export function rowAt(contentY: number, contentPx: number, orientation: Orientation): number {
  return orientation === "icicle" ? Math.floor(contentY / ROW_PX) : Math.floor((contentPx - contentY) / ROW_PX);
}

/** Top of a row on the content. A flame graph stands on the floor of its panel. */
export function rowTop(row: number, contentPx: number, orientation: Orientation): number {
  return orientation === "icicle" ? row * ROW_PX : contentPx - (row + 1) * ROW_PX;
}

/** Of a character in the context's font, the mean of wide and narrow ones. */
export function charWidthPx(context: CanvasRenderingContext2D): number {
  return Math.max(context.measureText("mmmmiiii0000").width / 12, 4);
}

export interface PaintFigures {
  readonly boxes: number;
  readonly rows: number;
}

export function paint(context: CanvasRenderingContext2D, scene: Scene): PaintFigures {
  const { layout, palette, span, widthPx, heightPx, scrollPx, orientation } = scene;
  const { data } = layout;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, widthPx, heightPx);
  context.font = scene.font;
  context.textBaseline = "middle";
  const samplesPerPx = (span.right - span.left) / Math.max(widthPx, 1);
  const contentPx = Math.max(layout.rowCount * ROW_PX, heightPx);
  const [one, other] = [scrollPx, scrollPx + heightPx].map((y) => rowAt(y, contentPx, orientation)) as [number, number];
  const firstRow = Math.max(Math.min(one, other), 0);
  const lastRow = Math.min(Math.max(one, other), layout.rowCount - 1);
  const hoveredFunction = scene.hovered >= 0 ? data.nodeFunction[scene.hovered] : -1;
  let boxes = 0;
  for (let row = firstRow; row <= lastRow; row++) {
    const y = rowTop(row, contentPx, orientation) - scrollPx;
    visitRow(
      layout,
      row,
      span,
      samplesPerPx,
      (node) => {
        boxes++;
        const start = data.nodeStart[node] as number;
        const x = Math.max((start - span.left) / samplesPerPx, 0);
        const width = Math.min((start + (data.nodeTotal[node] as number) - span.left) / samplesPerPx, widthPx) - x;
        drawBox(context, scene, node, x, y, width, data.nodeFunction[node] === hoveredFunction);
      },
      (left, right) => {
        boxes++;
        const x = Math.max((left - span.left) / samplesPerPx, 0);
        const width = Math.min((right - span.left) / samplesPerPx, widthPx) - x;
        context.globalAlpha = scene.matches ? 0.4 : 1;
        context.fillStyle = palette.tiny;
        context.fillRect(x, y, Math.max(width, MIN_TINY_PX), ROW_PX - 1);
        context.globalAlpha = 1;
      },
    );
  }
  drawSelection(context, scene, samplesPerPx, contentPx);
  return { boxes, rows: Math.max(lastRow - firstRow + 1, 0) };
}

const MIN_TINY_PX = 0.5;
const DIMMED = 0.28;

function drawBox(
  context: CanvasRenderingContext2D,
  scene: Scene,
  node: number,
  x: number,
  y: number,
  width: number,
  sameAsHovered: boolean,
): void {
  const { layout, palette, matches } = scene;
  const functionIndex = layout.data.nodeFunction[node] as number;
  const colour = scene.colourOf(node);
  const isMatch = matches !== null && node !== 0 && matches[node] === 1;
  const dimmed = matches !== null && !isMatch && node !== 0;
  const box = Math.max(width - (width > 3 ? 1 : 0), 0.5);
  const isRoot = node === 0;
  context.globalAlpha = dimmed ? DIMMED : 1;
  context.fillStyle = isRoot ? palette.tiny : (palette.fill[colour] as string);
  context.fillRect(x, y, box, ROW_PX - 1);
  if (palette.highContrast && width > 2 && !isRoot) {
    context.strokeStyle = palette.kind[Math.floor(colour / SHADES)] as string;
    context.lineWidth = 1;
    context.strokeRect(x + 0.5, y + 0.5, box - 1, ROW_PX - 2);
    // A bar at the left in the colour of the kind: an outline alone is hard to tell apart.
    context.fillStyle = context.strokeStyle;
    context.fillRect(x, y, Math.min(3, box), ROW_PX - 1);
  }
  context.globalAlpha = 1;
  if ((isMatch || sameAsHovered) && width > 1) {
    context.strokeStyle = isMatch ? palette.match : palette.focus;
    context.lineWidth = isMatch && width > 8 ? 2 : 1;
    const inset = context.lineWidth / 2;
    if (box > 2 * inset) context.strokeRect(x + inset, y + inset, box - 2 * inset, ROW_PX - 1 - 2 * inset);
  }
  const chars = Math.floor((box - LABEL_PAD_PX * 2) / scene.charPx);
  if (chars < 3) return;
  // The sign stays when the name is cut.
  const mark = changeMark(layout.data, node) + foldMark(layout.data, node);
  const label =
    mark +
    fitLabel(layout.data.functionNames[functionIndex] as string, levelsSuffix(layout.data, node), chars - mark.length);
  if (label === "") return;
  // A frame that does not match keeps a label that can be read: only its box gives way.
  context.fillStyle = dimmed || isRoot ? palette.foreground : (palette.label[colour] as string);
  context.fillText(label, x + LABEL_PAD_PX, y + ROW_PX / 2);
}

function drawSelection(context: CanvasRenderingContext2D, scene: Scene, samplesPerPx: number, contentPx: number): void {
  const { layout, selected, span, palette, widthPx } = scene;
  if (selected < 0) return;
  const { data } = layout;
  const left = ((data.nodeStart[selected] as number) - span.left) / samplesPerPx;
  const right = left + (data.nodeTotal[selected] as number) / samplesPerPx;
  if (right < 0 || left > widthPx) return;
  const x = Math.max(left, 0);
  const width = Math.max(Math.min(right, widthPx) - x, 4);
  const y = rowTop(data.nodeDepth[selected] as number, contentPx, scene.orientation) - scene.scrollPx;
  // Two lines, so that one of them parts from any fill.
  context.lineWidth = scene.focused ? 2 : 1;
  context.strokeStyle = palette.foreground;
  context.strokeRect(x + 1, y + 1, width - 2, ROW_PX - 3);
  if (!scene.focused || width < 8) return;
  context.lineWidth = 1;
  context.strokeStyle = palette.background;
  context.strokeRect(x + 2.5, y + 2.5, width - 5, ROW_PX - 6);
}
