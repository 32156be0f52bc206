// Folded stacks: `all;a;b 12` a line, as flamegraph.pl and its kin read them.

import type { FlameData } from "../../contract/flame-data.js";
import { labelOf, nameOf } from "../graph/shares.js";

/** One line per node with samples of its own; stacks leave out the root, unless it has samples of its own: those without a frame. */
export function toFolded(data: FlameData): string {
  const lines: string[] = [];
  const stack: string[] = [];
  const withoutFrame = data.nodeSelf[0] ?? 0;
  if (withoutFrame > 0) lines.push(`${foldedName(nameOf(data, 0))} ${withoutFrame}`);
  for (let node = 1; node < data.nodeFunction.length; node++) {
    const depth = data.nodeDepth[node] as number;
    stack.length = depth - 1;
    stack.push(foldedName(nameOf(data, node)));
    const self = data.nodeSelf[node] as number;
    if (self > 0) lines.push(`${stack.join(";")} ${self}`);
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

/** A name cannot hold the characters that part frames and lines. */
function foldedName(name: string): string {
  return name.replace(/;/g, ":").replace(/[\r\n]+/g, " ");
}

/** The stack of one node, the innermost frame first. */
export function stackText(data: FlameData, node: number): string {
  const lines: string[] = [];
  for (let at = node; at > 0; at = data.nodeParent[at] as number) lines.push(labelOf(data, at));
  return lines.join("\n");
}
