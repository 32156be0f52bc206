// The part of the list that is here: the extension host hands out windows of it, and the grid requests any line of the
// whole.

import type { LineWindow, ProcessList, ShownLine } from "../../contract/messages/processes.js";
import type { GridRow } from "../grid/grid-row.js";

/** Lines above and below those in sight that are requested as well. */
const SPARE_LINES = 60;
const MOST_LINES = 1000;
/** A line that is not here yet is in no group that could be known, so it is below nothing. */
const DEEP = 1000;

export class LoadedLines {
  readonly #lines: readonly ShownLine[];
  readonly #first: number;
  readonly #places: ReadonlyMap<string, number>;
  readonly length: number;

  constructor({ lines, first, length }: Pick<ProcessList, "lines" | "first" | "length">) {
    this.#lines = lines;
    this.#first = first;
    this.length = length;
    this.#places = new Map(lines.map(({ key }, index) => [key, first + index]));
  }

  at(index: number): ShownLine | undefined {
    return this.#lines[index - this.#first];
  }

  /** -1 when it is not here. */
  indexOf(key: string): number {
    const waiting = placeOfWaiting(key);
    return waiting !== undefined && waiting < this.length ? waiting : (this.#places.get(key) ?? -1);
  }

  row(index: number): GridRow {
    const line = this.at(index);
    if (line === undefined) return { key: `#${String(index)}`, level: DEEP };
    const { key, level, position, siblings, open, alarming } = line;
    return { key, level, position, siblings, marked: alarming, expandable: open !== null, expanded: open === true };
  }

  /** The key of a line that was selected before it was here, once it is. */
  resolved(key: string): string {
    const waiting = placeOfWaiting(key);
    return waiting === undefined ? key : (this.at(waiting)?.key ?? key);
  }

  /** Whether all lines from `first` to before `end` are here. */
  covers(first: number, end: number): boolean {
    return (
      first >= Math.min(this.#first, this.length) && Math.min(end, this.length) <= this.#first + this.#lines.length
    );
  }
}

/** The lines to request when lines from `first` to before `end` are in sight. */
export function windowAround(first: number, end: number): LineWindow {
  const from = Math.max(first - SPARE_LINES, 0);
  return { first: from, limit: Math.min(end + SPARE_LINES - from, MOST_LINES) };
}

/** Keys of processes and groups never begin with `#` and a number alone. */
function placeOfWaiting(key: string): number | undefined {
  return /^#\d+$/.test(key) ? Number(key.slice(1)) : undefined;
}
