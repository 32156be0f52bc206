// The same questions answered the slow and plain way, from a reader that shares no code with the one under test.

import { readProfile } from "../../pprof-reader.mjs";

export interface NaiveFrame {
  readonly name: string;
  readonly kind: string;
  readonly file: string;
  readonly line: number;
  /** How many frames it stands for; absent for one. */
  readonly levels?: number;
}

export interface NaiveSample {
  /** Leaf first. */
  readonly frames: readonly NaiveFrame[];
  readonly count: number;
  readonly labels: Readonly<Record<string, string | number>>;
}

/** By path and column: several files with tests have the same questions about one capture. */
const known = new Map<string, readonly NaiveSample[]>();

export function naiveSamples(path: string, column = 0): readonly NaiveSample[] {
  const key = `${path} ${column}`;
  const samples =
    known.get(key) ??
    readProfile(path).samples.map(({ frames, values, labels }) => ({ frames, count: values[column] ?? 0, labels }));
  known.set(key, samples);
  return samples;
}

export interface NaiveNode {
  readonly name: string;
  total: number;
  self: number;
  /** Of the deepest stack. */
  levels: number;
  readonly lines: Map<number, number>;
  readonly children: Map<string, NaiveNode>;
}

export function naiveTree(
  samples: readonly NaiveSample[],
  framesOf: (sample: NaiveSample) => readonly NaiveFrame[],
  rootName = "all",
): NaiveNode {
  const root = newNode(rootName);
  for (const sample of samples) {
    let node = root;
    root.total += sample.count;
    for (const frame of framesOf(sample)) {
      let child = node.children.get(frame.name);
      if (!child) node.children.set(frame.name, (child = newNode(frame.name)));
      child.total += sample.count;
      child.levels = Math.max(child.levels, frame.levels ?? 1);
      child.lines.set(frame.line, (child.lines.get(frame.line) ?? 0) + sample.count);
      node = child;
    }
    node.self += sample.count;
  }
  return root;
}

/** Without consecutive repetitions of a function, the first one staying. */
export function collapsed(frames: readonly NaiveFrame[]): NaiveFrame[] {
  const kept: NaiveFrame[] = [];
  for (const frame of frames) {
    const before = kept.at(-1);
    if (before?.name === frame.name) kept[kept.length - 1] = { ...before, levels: (before.levels ?? 1) + 1 };
    else kept.push(frame);
  }
  return kept;
}

function newNode(name: string): NaiveNode {
  return { name, total: 0, self: 0, levels: 1, lines: new Map(), children: new Map() };
}
