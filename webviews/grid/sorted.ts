// Rows in the order of a column.

import type { Sorting } from "../../contract/messages/sorting.js";

/** The value that a row is sorted by; unknown values come last in either order. */
export type SortValue = string | number | null;

/** A new order; rows that are alike stay as they were. */
export function sorted<Row>(rows: readonly Row[], { descending }: Sorting, valueOf: (row: Row) => SortValue): Row[] {
  return rows.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const order = typeof a === "string" || typeof b === "string" ? compareTexts(String(a), String(b)) : a - b;
    return descending ? -order : order;
  });
}

/** The sorting after a press on the head of a column: its figures from the most on, its texts from the start of the alphabet on. */
export function pressed(before: Sorting, columnId: string, isText: boolean): Sorting {
  return { columnId, descending: before.columnId === columnId ? !before.descending : !isText };
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
