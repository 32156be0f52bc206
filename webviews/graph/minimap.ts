// The whole graph in a strip, with the part in sight marked; a press or a drag moves there. The keys of the graph do the same.

import { SHADES } from "./colour.js";
import { visitRow, type Span } from "./layout.js";
import type { Scene } from "./renderer.js";

const HEIGHT_PX = 44;

export class Minimap {
  readonly element = document.createElement("canvas");
  private readonly picture = document.createElement("canvas");
  private pictured: unknown = null;
  private picturedWidthPx = 0;

  constructor(private readonly onMove: (centreShare: number) => void) {
    this.element.className = "minimap";
    this.element.setAttribute("aria-hidden", "true");
    const move = (event: PointerEvent) => {
      const box = this.element.getBoundingClientRect();
      this.onMove((event.clientX - box.left) / Math.max(box.width, 1));
    };
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      move(event);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) move(event);
    });
  }

  paint(scene: Scene): void {
    const widthPx = this.element.clientWidth;
    if (widthPx === 0) return;
    const scale = devicePixelRatio;
    if (
      this.pictured !== scene.layout ||
      this.picturedWidthPx !== widthPx * scale ||
      this.palette !== scene.palette ||
      this.orientation !== scene.orientation
    ) {
      this.drawPicture(scene, widthPx, scale);
    }
    this.element.width = Math.round(widthPx * scale);
    this.element.height = Math.round(HEIGHT_PX * scale);
    const context = this.element.getContext("2d");
    if (!context) return;
    context.drawImage(this.picture, 0, 0);
    context.scale(scale, scale);
    const { total, left, right } = { total: scene.layout.data.nodeTotal[0] ?? 1, ...scene.span };
    const from = (left / total) * widthPx;
    const width = Math.max(((right - left) / total) * widthPx, 2);
    context.fillStyle = scene.palette.background;
    context.globalAlpha = 0.6;
    context.fillRect(0, 0, from, HEIGHT_PX);
    context.fillRect(from + width, 0, widthPx, HEIGHT_PX);
    context.globalAlpha = 1;
    context.strokeStyle = scene.palette.focus;
    context.lineWidth = 2;
    context.strokeRect(from + 1, 1, Math.max(width - 2, 1), HEIGHT_PX - 2);
  }

  private palette: unknown = null;
  private orientation: unknown = null;

  private drawPicture(scene: Scene, widthPx: number, scale: number): void {
    this.pictured = scene.layout;
    this.palette = scene.palette;
    this.orientation = scene.orientation;
    this.picturedWidthPx = widthPx * scale;
    this.picture.width = Math.round(widthPx * scale);
    this.picture.height = Math.round(HEIGHT_PX * scale);
    const context = this.picture.getContext("2d");
    if (!context) return;
    context.scale(scale, scale);
    context.fillStyle = scene.palette.background;
    context.fillRect(0, 0, widthPx, HEIGHT_PX);
    const { layout, palette } = scene;
    const whole: Span = { left: 0, right: Math.max(layout.data.nodeTotal[0] ?? 0, 1) };
    const samplesPerPx = whole.right / widthPx;
    // Deep recursion would press everything else flat: only the rows near the root are shown, where the width is.
    const shown = Math.min(layout.rowCount, HEIGHT_PX / 2);
    const rowPx = Math.min(HEIGHT_PX / Math.max(shown, 1), 6);
    for (let line = 0; line < shown; line++) {
      const y = scene.orientation === "icicle" ? line * rowPx : HEIGHT_PX - (line + 1) * rowPx;
      visitRow(
        layout,
        line,
        whole,
        samplesPerPx,
        (node) => {
          const colour = scene.colourOf(node);
          context.fillStyle = node === 0 ? palette.tiny : (palette.kind[Math.floor(colour / SHADES)] as string);
          context.fillRect(
            (layout.data.nodeStart[node] as number) / samplesPerPx,
            y,
            (layout.data.nodeTotal[node] as number) / samplesPerPx,
            rowPx,
          );
        },
        (left, right) => {
          context.fillStyle = palette.tiny;
          context.fillRect(left / samplesPerPx, y, (right - left) / samplesPerPx, rowPx);
        },
      );
    }
  }
}
