// Rows that are not shown unless all are asked for: the inside of the runtime, and callers that only call another row. Nothing of a document in here.

import { GROUPS, type ComparedFunctions, type Figure } from "../../contract/messages/compare.js";

const RUNTIME = GROUPS.indexOf("runtime");

export interface FoldedRows {
  isFolded(row: number): boolean;
  /** How many callers have the same change and are part of the row. */
  callersOf(row: number): number;
}

export function foldedRows(functions: ComparedFunctions, figure: Figure, showsAll: boolean): FoldedRows {
  const callers = new Map<number, number>();
  const wrappers = new Set<number>();
  // By another figure than the total a caller says something of its own, or nothing.
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

/** The user's own is not hidden behind what is not. */
function isPartOf({ group, total }: ComparedFunctions, row: number, wrapped: number): boolean {
  return total.verdict[row] === total.verdict[wrapped] && (group[wrapped] ?? 0) <= (group[row] ?? 0);
}
