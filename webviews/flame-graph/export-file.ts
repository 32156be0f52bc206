// A file of the shown graph, in the requested format.

import type { FlameData } from "../../contract/flame-data.js";
import type { ExportFormat, Orientation, StackFormat } from "../../contract/messages/flame-graph.js";
import type { Palette } from "../graph/colour.js";
import { toFolded } from "./export-folded.js";
import { toSpeedscope } from "./export-speedscope.js";
import { toSvg } from "./export-svg.js";
import type { Layout, Span } from "../graph/layout.js";

export const PICTURE_WIDTH_PX = 1200;

export interface ExportedFile {
  readonly format: ExportFormat;
  readonly suggestedName: string;
  readonly text: string;
}

export interface Picture {
  readonly layout: Layout;
  readonly span: Span;
  readonly orientation: Orientation;
  readonly palette: Palette;
}

export function pictureName(title: string): string {
  return `${baseName(title)}.png`;
}

export function svgFile({ layout, ...look }: Picture, title: string): ExportedFile {
  return {
    format: "svg",
    suggestedName: `${baseName(title)}.svg`,
    text: toSvg(layout, { title, widthPx: PICTURE_WIDTH_PX, ...look }),
  };
}

export function stacksFile(format: StackFormat, data: FlameData, title: string): ExportedFile {
  switch (format) {
    case "folded":
      return { format, suggestedName: `${baseName(title)}.folded.txt`, text: toFolded(data) };
    case "speedscope":
      return { format, suggestedName: `${baseName(title)}.speedscope.json`, text: toSpeedscope(data, title) };
  }
}

function baseName(title: string): string {
  return title.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "") || "flame-graph";
}
