// Finds a node of one graph in another by the names on its path: indices change with every refresh.

import type { FlameData } from "../../contract/flame-data.js";
import { childrenOf, spanOf, type Layout, type Span } from "./layout.js";

/** Names from below the root to the node. */
export function pathOf(data: FlameData, node: number): string[] {
  const path: string[] = [];
  for (let at = node; at > 0; at = data.nodeParent[at] as number)
    path.push(data.functionNames[data.nodeFunction[at] as number] as string);
  return path.reverse();
}

export interface PathMatch {
  readonly node: number;
  /** False when only a beginning of the path exists; `node` is where it ends. */
  readonly whole: boolean;
}

export function findPath(layout: Layout, path: readonly string[]): PathMatch {
  const { data } = layout;
  let node = 0;
  for (const name of path) {
    let found = -1;
    for (const child of childrenOf(layout, node)) {
      if (data.functionNames[data.nodeFunction[child] as number] !== name) continue;
      found = child;
      break;
    }
    if (found < 0) return { node, whole: false };
    node = found;
  }
  return { node, whole: true };
}

/** A span kept as a share of the deepest node that holds it whole, so that it stays on the same code as counts grow. */
export interface SpanAnchor {
  readonly path: readonly string[];
  readonly left: number;
  readonly right: number;
}

export function anchorSpan(layout: Layout, span: Span): SpanAnchor {
  const { data } = layout;
  let node = 0;
  for (let descended = true; descended;) {
    descended = false;
    for (const child of childrenOf(layout, node)) {
      const { left, right } = spanOf(data, child);
      if (left > span.left || right < span.right) continue;
      node = child;
      descended = true;
      break;
    }
  }
  const { left, right } = spanOf(data, node);
  const width = Math.max(right - left, 1);
  return { path: pathOf(data, node), left: (span.left - left) / width, right: (span.right - left) / width };
}

export function resolveSpan(layout: Layout, anchor: SpanAnchor): Span {
  const match = findPath(layout, anchor.path);
  const { left, right } = spanOf(layout.data, match.node);
  if (!match.whole) return { left, right };
  const width = right - left;
  return { left: left + anchor.left * width, right: left + anchor.right * width };
}
