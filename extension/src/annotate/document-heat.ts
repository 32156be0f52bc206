// What one document shows of a capture: heat by line, figures by function. No vscode in here.

import type { SelfAndTotal } from "../../../contract/capture-answers.js";
import type { Capture, LineCounts } from "../capture/questions.js";
import type { LineState, MappedFile } from "../sources/mapped-file.js";
import { heatLevel, type HeatLevel, type HeatScale } from "./heat-level.js";

export interface HeatLine extends SelfAndTotal {
  /** In today's text, from 1. */
  readonly line: number;
  readonly level: HeatLevel;
  /** The least certain of what came together on this line. */
  readonly state: LineState;
  /** Functions of the capture on this line with the line the VM has for it, most own samples first. */
  readonly places: readonly { readonly functionIndex: number; readonly capturedLine: number }[];
}

const CERTAINTY: readonly LineState[] = ["exact", "moved", "unknown", "changed", "gone"];

interface Collected {
  self: number;
  total: number;
  state: LineState;
  places: { functionIndex: number; capturedLine: number; self: number }[];
}

/** Every line of today's text with samples, by line. Lines that are gone are left to their function's lens. */
export function heatLines(capture: Capture, mapped: MappedFile, scale: Omit<HeatScale, "hottest">, hottest?: number): HeatLine[] {
  const countsOf = lineCounts(capture);
  const byLine = new Map<number, Collected>();
  for (const { functionIndex, capturedLine, line, state } of mapped.lines) {
    if (line === 0) continue;
    const counts = countsOf(functionIndex, capturedLine);
    if (counts === undefined) continue;
    const there = byLine.get(line) ?? { self: 0, total: 0, state: "exact", places: [] };
    there.self += counts.self;
    // A sample may be in several functions of one line (a comprehension and the function around it): never more than the largest is certain.
    there.total = Math.max(there.total, counts.total);
    if (CERTAINTY.indexOf(state) > CERTAINTY.indexOf(there.state)) there.state = state;
    there.places.push({ functionIndex, capturedLine, self: counts.self });
    byLine.set(line, there);
  }
  const highest = hottest ?? Math.max(0, ...[...byLine.values()].map(({ self }) => self));
  return [...byLine]
    .map(([line, { self, total, state, places }]) => ({
      line,
      self,
      total: Math.max(total, self),
      level: heatLevel(self, { ...scale, hottest: highest }),
      state,
      places: places.sort((a, b) => b.self - a.self),
    }))
    .sort((a, b) => a.line - b.line);
}

/** Own samples of the hottest line of the whole capture. */
export function hottestLine(capture: Capture): number {
  let hottest = 0;
  for (let index = 0; index < capture.functions.length; index += 1) {
    if (capture.functionCounts(index).self <= hottest) continue;
    for (const { self } of capture.functionLines(index)) hottest = Math.max(hottest, self);
  }
  return hottest;
}

function lineCounts(capture: Capture): (functionIndex: number, line: number) => LineCounts | undefined {
  const known = new Map<number, Map<number, LineCounts>>();
  return (functionIndex, line) => {
    let lines = known.get(functionIndex);
    if (lines === undefined) {
      lines = new Map(capture.functionLines(functionIndex).map((counts) => [counts.line, counts]));
      known.set(functionIndex, lines);
    }
    return lines.get(line);
  };
}
