// The order in which one goes from hot line to hot line. No vscode in here.

export interface HotPlace {
  /** Index of the file among all with heat; -1 for another file. */
  readonly file: number;
  /** From 1. */
  readonly line: number;
}

export interface HotLine extends HotPlace {
  /** Of the chosen attribution. */
  readonly samples: number;
}

/** The hottest line first; lines of as many samples stay in the order of files and lines. */
export function byHeat<Line extends HotLine>(lines: readonly Line[]): Line[] {
  return [...lines].sort((a, b) => b.samples - a.samples || a.file - b.file || a.line - b.line);
}

/**
 * The next cooler (`step` 1) or hotter (-1) line, round and round; the hottest one from any other place.
 * @param lines in the order of {@link byHeat}
 * @returns its index in `lines`; -1 when there are none
 */
export function nextHotLine(lines: readonly HotLine[], from: HotPlace, step: 1 | -1): number {
  if (lines.length === 0) return -1;
  const here = lines.findIndex(({ file, line }) => file === from.file && line === from.line);
  return here === -1 ? 0 : (here + step + lines.length) % lines.length;
}
