// Where "next hot line" goes. No vscode in here.

export interface HotPlace {
  /** Position of the file among all with heat, the hottest first. */
  readonly file: number;
  /** From 1. */
  readonly line: number;
}

/**
 * The place after (`step` 1) or before (-1) a position: lines of a file from top to bottom, then the next file, round
 * and round. `from.file` -1 is a file without heat.
 * @returns its index in `places`, which are in that order; -1 when there are none
 */
export function nextPlace(places: readonly HotPlace[], from: HotPlace, step: 1 | -1): number {
  if (places.length === 0) return -1;
  const isAfter = (place: HotPlace) => place.file > from.file || (place.file === from.file && place.line > from.line);
  const isBefore = (place: HotPlace) => place.file < from.file || (place.file === from.file && place.line < from.line);
  if (step === 1) {
    const index = places.findIndex(isAfter);
    return index === -1 ? 0 : index;
  }
  const index = places.findLastIndex(isBefore);
  return index === -1 ? places.length - 1 : index;
}
