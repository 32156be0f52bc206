// How much of the time of a side is in a function: as a whole, line by line, and in the functions that it calls.
// No vscode in here.

import type { FlameData } from "../../../contract/flame-data.js";
import type { Capture } from "../capture/questions.js";

/** Shares of the busy samples of all captures of a side, 0 to 1. */
export interface SideTimes {
  /** With all that it calls. */
  readonly total: number;
  /** The same by its lines, from 1. */
  readonly lines: ReadonlyMap<number, number>;
  /** Of each function that was sampled below it, directly or not, by {@link functionKey}; only samples below it count. */
  readonly below: ReadonlyMap<string, number>;
}

/** The queries that are made of a capture. */
export type TimedCapture = Pick<Capture, "functions" | "totals" | "functionCounts" | "functionLines" | "sandwich">;

/** Each query reads the whole capture, so only the first captures are used where there are many. */
const MOST_CAPTURES = 10;

export function functionKey(name: string, file: string): string {
  return `${name}\n${file}`;
}

/** @param withCallees whether `below` is wanted */
export async function sideTimes(
  captures: readonly TimedCapture[],
  name: string,
  file: string,
  signal: AbortSignal,
  withCallees = true,
): Promise<SideTimes> {
  let [busy, total] = [0, 0];
  const lines = new Map<number, number>();
  const below = new Map<string, number>();
  for (const capture of captures.slice(0, MOST_CAPTURES)) {
    signal.throwIfAborted();
    busy += capture.totals.busy;
    const index = capture.functions.findIndex((fn) => fn.name === name && fn.file === file);
    if (index < 0) continue;
    total += capture.functionCounts(index).total;
    for (const { line, total: samples } of capture.functionLines(index)) if (line > 0) add(lines, line, samples);
    if (!withCallees) continue;
    const graph = capture.sandwich(index, {
      inverted: false,
      hideNative: false,
      hideKernel: true,
      collapseRecursion: true,
      groupBy: "none",
    });
    if (graph !== null) addBelow(below, graph.callees);
    // The editor has other things to do, too.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const shares = <Key>(counts: ReadonlyMap<Key, number>) =>
    new Map([...counts].map(([key, samples]) => [key, busy > 0 ? samples / busy : 0]));
  return { total: busy > 0 ? total / busy : 0, lines: shares(lines), below: shares(below) };
}

/** A function below itself counts once. Nodes are in the order in which they are drawn: each after its parent, before the parent's next child. */
function addBelow(below: Map<string, number>, graph: FlameData): void {
  const path: number[] = [];
  const open = new Map<number, number>();
  for (let node = 0; node < graph.nodeFunction.length; node++) {
    const [depth, fn] = [graph.nodeDepth[node] ?? 0, graph.nodeFunction[node] ?? 0];
    while (path.length > depth) {
      const left = path.pop() ?? 0;
      open.set(left, (open.get(left) ?? 1) - 1);
    }
    const isFirst = (open.get(fn) ?? 0) === 0;
    path.push(fn);
    open.set(fn, (open.get(fn) ?? 0) + 1);
    if (node > 0 && isFirst)
      add(below, functionKey(graph.functionNames[fn] ?? "", graph.functionFiles[fn] ?? ""), graph.nodeTotal[node] ?? 0);
  }
}

function add<Key>(counts: Map<Key, number>, key: Key, samples: number): void {
  counts.set(key, (counts.get(key) ?? 0) + samples);
}
