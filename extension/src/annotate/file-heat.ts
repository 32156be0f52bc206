// Samples of a file by line and by function, in the lines of its text as it is now.

import type { Capture, SelfAndTotal } from "../capture/questions.js";
import type { PlacedFunction } from "../sources/capture-places.js";
import type { DocumentView } from "../sources/document-view.js";
import type { LineState } from "../sources/line-map.js";

export interface LineHeat extends SelfAndTotal {
  /** Today's, from 1. */
  readonly line: number;
  readonly state: LineState;
  /** Where the samples are from: indexes in `Capture.functions`, and the line as the capture knows it. */
  readonly sources: readonly { readonly functionIndex: number; readonly line: number }[];
}

export interface FunctionHeat extends SelfAndTotal {
  /** Today's, from 1; 0 when it is gone. */
  readonly headLine: number;
  /** Without module, as people write it: `map/2`. */
  readonly name: string;
  /** The function itself when it was sampled, else a closure of it. */
  readonly functionIndex: number;
  /** The function and its closures and comprehensions. */
  readonly members: readonly number[];
}

/** Hot lines, and what became of them since the capture. */
export interface DriftCounts {
  readonly lines: number;
  readonly changed: number;
  readonly gone: number;
  readonly unknown: number;
}

export interface FileHeat {
  readonly lines: readonly LineHeat[];
  readonly functions: readonly FunctionHeat[];
  readonly hottest: number;
  readonly drift: DriftCounts;
}

/**
 * What a capture says about one text. Lines that are gone are only in their functions' figures.
 * @param needed samples from which a line counts as hot when drift is told
 */
export function fileHeat(capture: Capture, view: DocumentView, needed: number): FileHeat {
  const lines = new Map<number, { line: number; self: number; total: number; state: LineState; sources: { functionIndex: number; line: number }[] }>();
  const drift = { lines: 0, changed: 0, gone: 0, unknown: 0 };
  for (const fn of view.functions) {
    for (const counts of capture.functionLines(fn.index)) {
      if (counts.line === 0) continue;
      const mapped = view.map(fn, counts.line);
      if (Math.max(counts.self, counts.total) >= needed) countDrift(drift, mapped.state);
      if (mapped.state === "gone") continue;
      const source = { functionIndex: fn.index, line: counts.line };
      const known = lines.get(mapped.line);
      if (known === undefined) lines.set(mapped.line, { line: mapped.line, self: counts.self, total: counts.total, state: mapped.state, sources: [source] });
      else {
        // A comprehension on its function's line: its samples are the line's own, but the stacks are the same ones.
        known.self += counts.self;
        known.total = Math.max(known.total, counts.total, known.self);
        known.sources.push(source);
      }
    }
  }
  const sorted = [...lines.values()].sort((a, b) => a.line - b.line);
  return { lines: sorted, functions: functionHeats(capture, view), hottest: sorted.reduce((most, { self }) => Math.max(most, self), 0), drift };
}

function countDrift(drift: { lines: number; changed: number; gone: number; unknown: number }, state: LineState): void {
  drift.lines++;
  if (state === "changed" || state === "gone" || state === "unknown") drift[state]++;
}

function functionHeats(capture: Capture, view: DocumentView): FunctionHeat[] {
  const groups = new Map<string, PlacedFunction[]>();
  for (const fn of view.functions) {
    const key = `${fn.module} ${fn.name} ${fn.arity}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [fn]);
    else group.push(fn);
  }
  return [...groups.values()].flatMap((members) => {
    const main = members.find((fn) => !fn.isInner) ?? members[0];
    if (main === undefined) return [];
    let self = 0;
    let total = 0;
    for (const fn of members) {
      const counts = capture.functionCounts(fn.index);
      self += counts.self;
      total = Math.max(total, counts.total);
    }
    return [
      {
        self,
        total: Math.max(self, total),
        headLine: view.headLine(main),
        name: `${main.name.replace(/^MACRO-/, "")}/${main.name.startsWith("MACRO-") ? main.arity - 1 : main.arity}`,
        functionIndex: main.index,
        members: members.map((fn) => fn.index),
      },
    ];
  });
}
