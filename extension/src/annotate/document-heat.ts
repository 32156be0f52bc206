// What one document shows of a capture: heat by line, figures by function. No vscode in here.

import type { Counts, Measure } from "../../../contract/capture-answers.js";
import type { Capture, LineCounts } from "../capture/questions.js";
import type { LineState, MappedFile } from "../sources/mapped-file.js";
import { heatLevel, leastShown, type HeatLevel } from "./heat-level.js";

export interface HeatLine extends Counts {
  /** In today's text, from 1. */
  readonly line: number;
  readonly level: HeatLevel;
  /** The least certain of what came together on this line. */
  readonly state: LineState;
  /** Functions of the capture on this line with the line the VM has for it, most samples first. */
  readonly places: readonly { readonly functionIndex: number; readonly capturedLine: number }[];
}

/** What is shown of the lines with samples. */
export interface HeatChoice {
  readonly measure: Measure;
  /** Samples of the whole that shares are of. */
  readonly busy: number;
  /** Lines below this share are not hot, percent. They are shown all the same where they make up much of the file together. */
  readonly minimumPercent: number;
}

const CERTAINTY: readonly LineState[] = ["exact", "moved", "unknown", "changed", "gone"];

interface Collected {
  own: number;
  self: number;
  total: number;
  state: LineState;
  places: { functionIndex: number; capturedLine: number; samples: number }[];
}

/** Every line of today's text with samples, by line. Lines that are gone are left to their function's lens. */
export function heatLines(capture: Capture, mapped: MappedFile, { measure, busy, minimumPercent }: HeatChoice, hottest?: number): HeatLine[] {
  const countsOf = lineCounts(capture);
  const byLine = new Map<number, Collected>();
  const gone: number[] = [];
  for (const { functionIndex, capturedLine, line, state } of mapped.lines) {
    const counts = countsOf(functionIndex, capturedLine);
    if (counts === undefined) continue;
    if (line === 0) {
      gone.push(counts[measure]);
      continue;
    }
    const there = byLine.get(line) ?? { own: 0, self: 0, total: 0, state: "exact", places: [] };
    there.own += counts.own;
    there.self += counts.self;
    // A sample may be in several functions of one line (a comprehension and the function around it): never more than the largest is certain.
    there.total = Math.max(there.total, counts.total);
    if (CERTAINTY.indexOf(state) > CERTAINTY.indexOf(there.state)) there.state = state;
    there.places.push({ functionIndex, capturedLine, samples: counts[measure] });
    byLine.set(line, there);
  }
  for (const there of byLine.values()) there.total = Math.max(there.total, there.own, there.self);
  const samples = [...byLine.values()].map((there) => there[measure]);
  const wanted = (minimumPercent / 100) * busy;
  // One sample is in the totals of many lines: what of them is without a mark says nothing. Lines that are gone count: which others have a mark is not changed by an edit.
  const least = measure === "total" ? wanted : leastShown([...samples, ...gone], wanted);
  const scale = { hottest: hottest ?? Math.max(0, ...samples), wanted, least };
  return [...byLine]
    .map(([line, { places, ...there }]) => ({
      line,
      ...there,
      level: heatLevel(there[measure], scale),
      places: places.sort((a, b) => b.samples - a.samples),
    }))
    .sort((a, b) => a.line - b.line);
}

/** Samples of the hottest line of the whole capture. */
export function hottestLine(capture: Capture, measure: Measure): number {
  let hottest = 0;
  for (let index = 0; index < capture.functions.length; index += 1) {
    if (capture.functionCounts(index)[measure] <= hottest) continue;
    for (const counts of capture.functionLines(index)) hottest = Math.max(hottest, counts[measure]);
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
