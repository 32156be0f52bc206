// Rows that are shown only on request: the inside of the runtime, callers that only call another row, and functions
// without a change. Nothing of a document in here.

import { GROUPS, TOUCHES, type ComparedFunctions, type Figure } from "../../contract/messages/compare.js";

const RUNTIME = GROUPS.indexOf("runtime");
const TOUCHED = TOUCHES.indexOf("touched");

export interface FoldedRows {
  isFolded(row: number): boolean;
  /** How many callers have the same change and are part of the row. */
  callersOf(row: number): number;
}

export function foldedRows(functions: ComparedFunctions, figure: Figure, showsAll: boolean): FoldedRows {
  const callers = new Map<number, number>();
  const wrappers = new Set<number>();
  // By another figure than the total, a caller has figures of its own, or none.
  if (!showsAll && figure === "total")
    for (const [wrapper, wrapped] of Object.entries(functions.wraps)) {
      const row = Number(wrapper);
      if (!isPartOf(functions, row, wrapped)) continue;
      wrappers.add(row);
      callers.set(wrapped, (callers.get(wrapped) ?? 0) + 1);
    }
  return {
    isFolded: (row) => !showsAll && (functions.group[row] === RUNTIME || wrappers.has(row)),
    callersOf: (row) => callers.get(row) ?? 0,
  };
}

/** The user's own code is not hidden behind other code, and touched functions not behind others. */
function isPartOf({ group, touched, total }: ComparedFunctions, row: number, wrapped: number): boolean {
  const hidesTouched = touched[row] === TOUCHED && touched[wrapped] !== TOUCHED;
  return total.verdict[row] === total.verdict[wrapped] && (group[wrapped] ?? 0) <= (group[row] ?? 0) && !hidesTouched;
}

/** Stands for the rows without a change. */
export const FOLD = -1;

export interface ShownRows {
  /** Rows in their order, and `FOLD` before those without a change. */
  readonly order: Int32Array;
  /** How many rows stand before the fold. */
  readonly changed: number;
  /** How many rows are in the fold, open or not; 0 for no fold. */
  readonly unchanged: number;
  readonly isOpen: boolean;
}

/**
 * Rows with a change come first, the others below one row for all of them.
 * @param isChanged null: nothing is folded
 */
export function foldUnchanged(
  rows: Uint32Array,
  isChanged: ((row: number) => boolean) | null,
  isOpen: boolean,
): ShownRows {
  const changed = isChanged === null ? rows : rows.filter(isChanged);
  const unchanged = isChanged === null ? new Uint32Array() : rows.filter((row) => !isChanged(row));
  const order = unchanged.length === 0 ? changed : [...changed, FOLD, ...(isOpen ? unchanged : [])];
  return { order: Int32Array.from(order), changed: changed.length, unchanged: unchanged.length, isOpen };
}
