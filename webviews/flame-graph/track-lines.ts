// Tracks on the canvas of a strip: bars of one VM, or a thin line for each of several, all on one scale.

import { vmHueRounds, vmLineColour, type Palette } from "../graph/colour.js";
import type { StripDrawing } from "./strip-canvas.js";

export interface TrackLine {
  /** Undefined in a capture of one VM. */
  readonly node: string | undefined;
  readonly hue: number;
  /** One for each bucket, NaN where nothing was read; none where the VM never reported it. */
  readonly values: Float64Array;
}

const LINE_PX = 1.5;
/** VMs that share a hue have other dashes. The legend has borders of the same kinds. */
const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2]];
export const DASH_NAMES = ["solid", "dashed", "dotted"] as const;

/** Which of the dashes. */
export function dashOf(hue: number): number {
  return vmHueRounds(hue) % DASHES.length;
}

/** No colour of a kind of frames, nor of heat, where there is one VM alone. */
export function trackColour(palette: Palette, { node, hue }: TrackLine): string {
  return node === undefined ? palette.foreground : vmLineColour(hue, palette);
}

/** NaN when nothing was read. */
export function mostOf(lines: readonly TrackLine[]): number {
  let most = Number.NaN;
  for (const { values } of lines)
    for (const value of values) if (!(value <= most) && !Number.isNaN(value)) most = value;
  return most;
}

export function paintBars(
  { context, widthPx }: StripDrawing,
  heightPx: number,
  palette: Palette,
  line: TrackLine,
  perBucket: number,
): void {
  const most = mostOf([line]);
  context.fillStyle = trackColour(palette, line);
  context.globalAlpha = palette.highContrast || line.node !== undefined ? 1 : 0.5;
  for (const [bucket, value] of line.values.entries()) {
    if (!(value > 0)) continue;
    const left = Math.floor(bucket * perBucket);
    const right = Math.min(Math.floor((bucket + 1) * perBucket), widthPx);
    const barPx = Math.max((value / most) * (heightPx - 2), 1);
    context.fillRect(left, heightPx - barPx, Math.max(right - left, 1), barPx);
  }
  context.globalAlpha = 1;
}

/** Steps, since nothing is known between two readings; broken where nothing was read. */
export function paintLines(
  { context, widthPx }: StripDrawing,
  heightPx: number,
  palette: Palette,
  lines: readonly TrackLine[],
  perBucket: number,
): void {
  const most = mostOf(lines);
  context.lineWidth = LINE_PX;
  for (const line of lines) {
    context.strokeStyle = trackColour(palette, line);
    context.setLineDash([...(DASHES[dashOf(line.hue)] ?? [])]);
    context.beginPath();
    let isDrawn = false;
    for (const [bucket, value] of line.values.entries()) {
      if (Number.isNaN(value)) {
        isDrawn = false;
        continue;
      }
      // Values that are all 0 lie on the lower edge.
      const y = heightPx - 2 - (most > 0 ? value / most : 0) * (heightPx - 4);
      if (isDrawn) context.lineTo(bucket * perBucket, y);
      else context.moveTo(bucket * perBucket, y);
      context.lineTo(Math.min((bucket + 1) * perBucket, widthPx), y);
      isDrawn = true;
    }
    context.stroke();
  }
  context.setLineDash([]);
}
