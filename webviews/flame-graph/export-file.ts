// A file of what is shown, in the format asked for.

import type { ExportFormat, Orientation } from "../../contract/messages/flame-graph.js";
import type { Palette } from "./colour.js";
import { toFolded } from "./export-folded.js";
import { toSpeedscope } from "./export-speedscope.js";
import { toSvg } from "./export-svg.js";
import type { Layout, Span } from "./layout.js";

const SVG_WIDTH_PX = 1200;

export interface ExportSubject {
  readonly layout: Layout;
  readonly title: string;
  readonly span: Span;
  readonly orientation: Orientation;
  readonly palette: Palette;
}

export function exportFile(format: ExportFormat, { layout, title, ...look }: ExportSubject): { suggestedName: string; text: string } {
  const base = title.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "") || "flame-graph";
  switch (format) {
    case "svg":
      return { suggestedName: `${base}.svg`, text: toSvg(layout, { title, widthPx: SVG_WIDTH_PX, ...look }) };
    case "folded":
      return { suggestedName: `${base}.folded.txt`, text: toFolded(layout.data) };
    case "speedscope":
      return { suggestedName: `${base}.speedscope.json`, text: toSpeedscope(layout.data, title) };
  }
}
