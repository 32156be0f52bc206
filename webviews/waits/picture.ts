// The graph as a picture: groups of processes as boxes, to the right of each the one it waits for. The tables show the
// same in words.

import type { WaitsGraph } from "../../contract/protocol.generated.js";
import { count } from "../words/figures.js";
import { processText } from "./process-text.js";
import { STRINGS } from "./strings.js";

/** More lines than this are no picture any more. */
const MOST_EDGES = 24;
const BOX = { width: 210, height: 36, gapX: 90, gapY: 14 } as const;
const LONGEST_TEXT = 28;
const SVG = "http://www.w3.org/2000/svg";

interface Box {
  readonly text: string;
  readonly column: number;
  readonly row: number;
  readonly isRound: boolean;
}

interface Line {
  readonly from: string;
  readonly to: string;
  readonly processes: number;
}

/**
 * The parts of the drawing: boxes by their keys, and the lines between them. A process that waits and is waited for is
 * one box.
 */
export function layout({ edges, cycles }: WaitsGraph): {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly lines: readonly Line[];
} {
  const shown = edges.slice(0, MOST_EDGES);
  const targets = new Set(shown.map(({ target }) => target.pid));
  const round = new Set(cycles.flatMap((cycle) => cycle.map(({ pid }) => pid)));
  const texts = new Map<string, string>();
  const lines: Line[] = [];
  for (const { waiters, processes, pids, call, target } of shown) {
    texts.set(target.pid, processText(target));
    const known = pids.filter((pid) => targets.has(pid) || round.has(pid));
    for (const pid of known) {
      if (!texts.has(pid)) texts.set(pid, `${pid} ${waiters}`);
      lines.push({ from: pid, to: target.pid, processes: 1 });
    }
    const others = processes - known.length;
    if (others <= 0) continue;
    const key = `${waiters} ${call} ${target.pid}`;
    texts.set(key, others === 1 ? waiters : `${count(others)} × ${waiters}`);
    lines.push({ from: key, to: target.pid, processes: others });
  }
  const next = new Map(lines.map(({ from, to }) => [from, to]));
  const columns = new Map<string, number>();
  for (const key of texts.keys()) columns.set(key, stepsToEnd(key, next));
  const widest = Math.max(0, ...columns.values());
  const rows = new Map<number, number>();
  const boxes = new Map<string, Box>();
  for (const [key, text] of texts) {
    const column = widest - (columns.get(key) ?? 0);
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    boxes.set(key, { text, column, row, isRound: round.has(key) });
  }
  return { boxes, lines };
}

/** How many lines lead from it to the end, or once round. */
function stepsToEnd(key: string, next: ReadonlyMap<string, string>): number {
  const seen = new Set<string>();
  let at: string | undefined = key;
  while (at !== undefined && !seen.has(at)) {
    seen.add(at);
    at = next.get(at);
  }
  return seen.size - 1;
}

export function picture(graph: WaitsGraph): SVGElement {
  const { boxes, lines } = layout(graph);
  const all = [...boxes.values()];
  const width = (Math.max(0, ...all.map(({ column }) => column)) + 1) * (BOX.width + BOX.gapX) - BOX.gapX + 4;
  const height = (Math.max(0, ...all.map(({ row }) => row)) + 1) * (BOX.height + BOX.gapY) + 24;
  const svg = made("svg", {
    class: "picture",
    role: "img",
    "aria-label": STRINGS.picture,
    width: String(width),
    height: String(height),
    viewBox: `0 0 ${String(width)} ${String(height)}`,
  });
  const arrow = made("marker", {
    id: "arrow",
    viewBox: "0 0 8 8",
    refX: "7",
    refY: "4",
    markerWidth: "7",
    markerHeight: "7",
    markerUnits: "userSpaceOnUse",
    orient: "auto",
  });
  arrow.append(made("path", { d: "M0 0 L8 4 L0 8 z", class: "arrow" }));
  const defs = made("defs", {});
  defs.append(arrow);
  svg.append(defs);
  for (const { from, to, processes } of lines) {
    const [begin, end] = [boxes.get(from), boxes.get(to)];
    if (begin === undefined || end === undefined) continue;
    const isRound = begin.isRound && end.isRound;
    const path = made("path", {
      d: curve(begin, end),
      class: isRound ? "wire round" : "wire",
      "marker-end": "url(#arrow)",
      "stroke-width": String(Math.min(1 + Math.log10(processes), 5)),
    });
    svg.append(path);
  }
  for (const box of all) svg.append(drawn(box));
  return svg;
}

function drawn({ text, column, row, isRound }: Box): SVGElement {
  const { x, y } = place(column, row);
  const group = made("g", { class: isRound ? "box round" : "box" });
  group.append(
    made("rect", { x: String(x), y: String(y), width: String(BOX.width), height: String(BOX.height), rx: "4" }),
  );
  const label = made("text", { x: String(x + 8), y: String(y + BOX.height / 2), "dominant-baseline": "central" });
  label.textContent = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text;
  const title = made("title", {});
  title.textContent = text;
  group.append(label, title);
  return group;
}

function place(column: number, row: number): { readonly x: number; readonly y: number } {
  return { x: 2 + column * (BOX.width + BOX.gapX), y: 2 + row * (BOX.height + BOX.gapY) };
}

/** From the right side of one box to the left side of the other; within one column round the right side. */
function curve(begin: Box, end: Box): string {
  const from = place(begin.column, begin.row);
  const to = place(end.column, end.row);
  const middle = BOX.height / 2;
  const [x1, y1] = [from.x + BOX.width, from.y + middle];
  if (end.column > begin.column) {
    const [x2, y2] = [to.x, to.y + middle];
    const half = (x2 - x1) / 2;
    return `M${String(x1)} ${String(y1)} C${String(x1 + half)} ${String(y1)} ${String(x2 - half)} ${String(y2)} ${String(x2)} ${String(y2)}`;
  }
  const out = x1 + 20 + 6 * Math.abs(begin.row - end.row);
  const y2 = to.y + middle + (begin.row < end.row ? -6 : 6);
  return `M${String(x1)} ${String(y1)} C${String(out)} ${String(y1)} ${String(out)} ${String(y2)} ${String(to.x + BOX.width)} ${String(y2)}`;
}

function made(name: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}
