// What changed at each line of today's text, between two captures whose lines are both mapped onto it. No vscode in here.

import type { NodeChange } from "../../../contract/flame-data.js";
import { judgedChange, runVariance } from "../capture/answers/chance.js";

/** A line with samples, of one capture. */
export interface CountedLine {
  /** In today's text, from 1. */
  readonly line: number;
  readonly samples: number;
  /** It is not certain that the line is the one that the capture means. */
  readonly isUnsure: boolean;
}

export interface CountedLines {
  readonly lines: readonly CountedLine[];
  /** Busy samples of the capture: 100 %. */
  readonly whole: number;
}

export interface LineChange {
  /** Percent of the whole. */
  readonly before: number;
  readonly now: number;
  readonly change: NodeChange;
  readonly isUnsure: boolean;
}

/** By line; every line with samples on a side. @param spreadPercent how much runs differ */
export function lineChanges(
  before: CountedLines,
  now: CountedLines,
  spreadPercent: number,
): ReadonlyMap<number, LineChange> {
  const changes = new Map<number, LineChange>();
  if (before.whole === 0 || now.whole === 0) return changes;
  const variance = runVariance(spreadPercent, [1, 1]);
  const byLine = ({ lines }: CountedLines) => new Map(lines.map((line) => [line.line, line]));
  const side = (samples: number, whole: number) => ({
    value: (samples / whole) * 100,
    samples,
    perSample: 100 / whole,
  });
  const [linesBefore, linesNow] = [byLine(before), byLine(now)] as const;
  for (const line of new Set([...linesNow.keys(), ...linesBefore.keys()])) {
    const [was, is] = [linesBefore.get(line), linesNow.get(line)] as const;
    const [sideBefore, sideNow] = [side(was?.samples ?? 0, before.whole), side(is?.samples ?? 0, now.whole)] as const;
    changes.set(line, {
      before: sideBefore.value,
      now: sideNow.value,
      change: judgedChange(sideBefore, sideNow, variance),
      isUnsure: was?.isUnsure === true || is?.isUnsure === true,
    });
  }
  return changes;
}
