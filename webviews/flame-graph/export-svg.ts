// The graph as it is on screen, as an SVG file without script: titles carry the figures.

import type { Orientation } from "../../contract/messages/flame-graph.js";
import { escapeHtml } from "../../contract/plain-text.js";
import { nodeColours, type Palette, SHADES } from "../graph/colour.js";
import { ofWhole } from "../graph/graph-figures.js";
import { visitRow, type Layout, type Span } from "../graph/layout.js";
import { figuresOf, foldMark, labelOf, levelsSuffix, nameOf } from "../graph/shares.js";
import { fitLabel } from "../graph/text-fit.js";

const ROW_PX = 18;
const CHAR_PX = 6.7;
const TOP_PX = 30;

export interface SvgOptions {
  readonly title: string;
  readonly widthPx: number;
  readonly span: Span;
  readonly orientation: Orientation;
  readonly palette: Palette;
}

export function toSvg(layout: Layout, { title, widthPx, span, orientation, palette }: SvgOptions): string {
  const { data, rowCount } = layout;
  const samplesPerPx = Math.max(span.right - span.left, 1e-9) / widthPx;
  const heightPx = rowCount * ROW_PX + TOP_PX;
  const out: string[] = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${heightPx}" viewBox="0 0 ${widthPx} ${heightPx}" font-family="monospace" font-size="11">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="100%" height="100%" fill="${palette.background}"/>`,
    `<text x="6" y="20" font-size="14" fill="${palette.foreground}">${escapeXml(title)}</text>`,
  ];
  const colourOf = nodeColours(data);
  for (let row = 0; row < rowCount; row++) {
    const y = TOP_PX + (orientation === "icicle" ? row : rowCount - 1 - row) * ROW_PX;
    visitRow(
      layout,
      row,
      span,
      samplesPerPx,
      (node) => {
        const start = data.nodeStart[node] as number;
        const x = Math.max((start - span.left) / samplesPerPx, 0);
        const width = Math.min((start + (data.nodeTotal[node] as number) - span.left) / samplesPerPx, widthPx) - x;
        const name = nameOf(data, node);
        const colour = colourOf(node);
        const figures = figuresOf(data, node);
        const label = fitLabel(
          foldMark(data, node) + name,
          levelsSuffix(data, node),
          Math.floor((width - 6) / CHAR_PX),
        );
        out.push(
          `<g><title>${escapeXml(`${labelOf(data, node)}: ${figures.samples}, ${figures.ofAll} ${ofWhole()}`)}</title>` +
            `<rect x="${x.toFixed(2)}" y="${y}" width="${Math.max(width - 0.5, 0.3).toFixed(2)}" height="${ROW_PX - 1}" fill="${palette.fill[colour] ?? palette.tiny}"` +
            `${palette.highContrast ? ` stroke="${palette.kind[Math.floor(colour / SHADES)] ?? palette.foreground}"` : ""}/>` +
            `${label === "" ? "" : `<text x="${(x + 3).toFixed(2)}" y="${y + 12}" fill="${palette.label[colour] ?? palette.foreground}">${escapeXml(label)}</text>`}</g>`,
        );
      },
      (left, right) => {
        const x = Math.max((left - span.left) / samplesPerPx, 0);
        const width = Math.min((right - span.left) / samplesPerPx, widthPx) - x;
        if (width > 0)
          out.push(
            `<rect x="${x.toFixed(2)}" y="${y}" width="${width.toFixed(2)}" height="${ROW_PX - 1}" fill="${palette.tiny}"/>`,
          );
      },
    );
  }
  out.push("</svg>\n");
  return out.join("\n");
}

/** For text and quoted attributes; characters that XML 1.0 cannot hold are replaced. */
export function escapeXml(text: string): string {
  return escapeHtml(text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd"));
}
