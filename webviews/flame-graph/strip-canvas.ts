// The canvas of a strip over time, made ready to be drawn on anew.

import type { Palette } from "../graph/colour.js";

export interface StripDrawing {
  readonly context: CanvasRenderingContext2D;
  readonly widthPx: number;
}

/** As wide as it is shown, in the pixels of the screen, and empty; null while it has no width. */
export function clearedStrip(canvas: HTMLCanvasElement, heightPx: number, palette: Palette): StripDrawing | null {
  const widthPx = canvas.clientWidth;
  if (widthPx === 0) return null;
  canvas.width = Math.round(widthPx * devicePixelRatio);
  canvas.height = Math.round(heightPx * devicePixelRatio);
  const context = canvas.getContext("2d");
  if (!context) return null;
  context.scale(devicePixelRatio, devicePixelRatio);
  context.fillStyle = palette.background;
  context.fillRect(0, 0, widthPx, heightPx);
  return { context, widthPx };
}
