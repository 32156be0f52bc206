// Bytes as this panel writes them.

import { memorySize, signedMemorySize } from "../words/figures.js";

/** `12.3 MB`; an unknown size is a question mark, never nothing. */
export function size(bytes: number | null | undefined): string {
  return bytes === null || bytes === undefined ? "?" : memorySize(bytes);
}

/** A change with its sign. */
export function change(bytes: number): string {
  return signedMemorySize(bytes);
}

export function sumOf<Row>(rows: readonly Row[], bytes: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + bytes(row), 0);
}
