// What one document shows of a capture: heat by line, figures by function. No vscode in here.

import type { Counts, Attribution } from "../../../contract/capture-answers.js";
import type { Capture, LineCounts } from "../capture/questions.js";
import type { LineState, MappedFile } from "../sources/mapped-file.js";
import { heatLevel, leastShown, type HeatLevel } from "./heat-level.js";

export interface HeatLine extends Counts {
  /** In today's text, from 1. */
  readonly line: number;
  readonly level: HeatLevel;
  /** The least certain state of the places on this line. */
  readonly state: LineState;
  /** Functions of the capture on this line with the line the VM has for it, most samples first. */
  readonly places: readonly HeatPlace[];
}

/** The part that one function has in a line. */
export interface HeatPlace {
  readonly functionIndex: number;
  readonly capturedLine: number;
  /** The function whose text the line is of, where the compiler has put it into this one. */
  readonly inlinedFrom?: string;
}

/** Which lines with samples are shown, and how. */
export interface HeatChoice {
  readonly attribution: Attribution;
  /** Samples that are 100 % of every share. */
  readonly whole: number;
  /** Lines below this share are not hot, percent. They are shown all the same where they make up much of the file together. */
  readonly minimumPercent: number;
}

const CERTAINTY: readonly LineState[] = ["exact", "moved", "unknown", "changed", "gone"];

interface Collected {
  own: number;
  self: number;
  total: number;
  state: LineState;
  places: (HeatPlace & { readonly samples: number })[];
}

/** Every line of today's text with samples, by line. Lines that are gone are left to their function's lens. */
export function heatLines(
  capture: Capture,
  mapped: MappedFile,
  { attribution, whole, minimumPercent }: HeatChoice,
  hottest?: number,
): HeatLine[] {
  const countsOf = lineCounts(capture);
  const byLine = new Map<number, Collected>();
  const gone: number[] = [];
  for (const { functionIndex, capturedLine, line, state, inlinedFrom } of mapped.lines) {
    const counts = countsOf(functionIndex, capturedLine);
    if (counts === undefined) continue;
    if (line === 0) {
      gone.push(counts[attribution]);
      continue;
    }
    const there = byLine.get(line) ?? { own: 0, self: 0, total: 0, state: "exact", places: [] };
    there.own += counts.own;
    there.self += counts.self;
    // A sample may be in several functions of one line (a comprehension and the function around it): never more than the largest is certain.
    there.total = Math.max(there.total, counts.total);
    if (CERTAINTY.indexOf(state) > CERTAINTY.indexOf(there.state)) there.state = state;
    const place = { functionIndex, capturedLine, samples: counts[attribution] };
    there.places.push(inlinedFrom === undefined ? place : { ...place, inlinedFrom });
    byLine.set(line, there);
  }
  for (const there of byLine.values()) there.total = Math.max(there.total, there.own, there.self);
  const samples = [...byLine.values()].map((there) => there[attribution]);
  const wanted = (minimumPercent / 100) * whole;
  // In totals, one sample counts for many lines, so the sum of all lines without a mark means nothing. Lines that are
  // gone count: an edit does not change which other lines have a mark.
  const least = attribution === "total" ? wanted : leastShown([...samples, ...gone], wanted);
  const scale = { hottest: hottest ?? Math.max(0, ...samples), wanted, least };
  return [...byLine]
    .map(([line, { places, ...there }]) => ({
      line,
      ...there,
      level: heatLevel(there[attribution], scale),
      places: places.sort((a, b) => b.samples - a.samples),
    }))
    .sort((a, b) => a.line - b.line);
}

/** Samples of the hottest line of the whole capture. */
export function hottestLine(capture: Capture, attribution: Attribution): number {
  let hottest = 0;
  for (let index = 0; index < capture.functions.length; index += 1) {
    if (capture.functionCounts(index)[attribution] <= hottest) continue;
    for (const counts of capture.functionLines(index)) hottest = Math.max(hottest, counts[attribution]);
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
