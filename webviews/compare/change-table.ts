// Which rows of a table of changes are shown, and in which order. Nothing of a document in here.

import { isChange, VERDICTS, type Changes } from "../../contract/messages/compare.js";
import type { Sorting } from "../../contract/messages/sorting.js";
import type { Verdict } from "../../contract/editor-module.generated.js";

/** The contents of a table beside the changes: texts to sort and filter by. */
export interface RowTexts {
  readonly count: number;
  /** The text that typing and the filter look for. */
  name(row: number): string;
  /** By column. */
  text(row: number, columnId: string): string;
  /** The place of the row's group among changes, and among rows without one: the lower comes first. */
  group?(row: number): number;
  readonly changes: Changes;
}

export interface RowFilter {
  /** A verdict, `changes`, or empty for all. */
  readonly verdict: string;
  /** Percent of the time of a side. */
  readonly minimum: number;
  readonly name: string;
  /** A further condition for rows. */
  fits?(row: number): boolean;
}

export const BY_WEIGHT: Sorting = { columnId: "weight", descending: true };
export type VerdictCounts = Record<Verdict, number>;

export function verdictOf({ verdict }: Changes, row: number): Verdict {
  return VERDICTS[verdict[row] ?? -1] ?? "too_few";
}

/** How many rows have each verdict. @param isMeant whether a row counts */
export function verdictCounts(changes: Changes, isMeant: (row: number) => boolean = () => true): VerdictCounts {
  const counts: VerdictCounts = { slower: 0, faster: 0, new: 0, gone: 0, noise: 0, too_few: 0, not_matched: 0 };
  for (let row = 0; row < changes.verdict.length; row++) if (isMeant(row)) counts[verdictOf(changes, row)] += 1;
  return counts;
}

/** The rows that fit, in their order. @param of the base of a hundred percent on each side, for the least size */
export function arrangedRows(
  table: RowTexts,
  filter: RowFilter,
  sorting: Sorting,
  of: { readonly base: number; readonly new: number },
): Uint32Array {
  const { changes } = table;
  const wanted = filter.name.trim().toLowerCase();
  const rows: number[] = [];
  for (let row = 0; row < table.count; row++) {
    const verdict = verdictOf(changes, row);
    if (filter.verdict !== "" && (filter.verdict === "changes" ? !isChange(verdict) : filter.verdict !== verdict))
      continue;
    if (filter.minimum > 0 && sizePercent(changes, row, of) < filter.minimum) continue;
    if (wanted !== "" && !table.name(row).toLowerCase().includes(wanted)) continue;
    if (filter.fits?.(row) === false) continue;
    rows.push(row);
  }
  return Uint32Array.from(rows).sort(comparer(table, sorting));
}

/** How large a row is on the side where it is larger. */
function sizePercent(changes: Changes, row: number, of: { readonly base: number; readonly new: number }): number {
  const share = (value: number | undefined, whole: number) => (whole > 0 ? ((value ?? 0) / whole) * 100 : 0);
  return Math.max(share(changes.base[row], of.base), share(changes.new[row], of.new));
}

function comparer(table: RowTexts, { columnId, descending }: Sorting): (a: number, b: number) => number {
  const { changes } = table;
  const sign = descending ? -1 : 1;
  const weight = (row: number) => Math.abs((changes.new[row] ?? 0) - (changes.base[row] ?? 0));
  const group = (row: number) => table.group?.(row) ?? 0;
  const byWeight = (a: number, b: number) =>
    Number(isChange(verdictOf(changes, b))) - Number(isChange(verdictOf(changes, a))) ||
    group(a) - group(b) ||
    weight(b) - weight(a) ||
    a - b;
  switch (columnId) {
    case "weight":
      return byWeight;
    case "verdict":
      return (a, b) => -sign * ((changes.verdict[a] ?? 0) - (changes.verdict[b] ?? 0)) || byWeight(a, b);
    case "base":
    case "new": {
      const values = changes[columnId];
      return (a, b) => sign * ((values[a] ?? 0) - (values[b] ?? 0)) || byWeight(a, b);
    }
    case "change":
    case "interval": {
      // A row without a change in percent is the last, in either order.
      const valueOf = (row: number) => changes.change[row] ?? NaN;
      return (a, b) =>
        Number(Number.isNaN(valueOf(a))) - Number(Number.isNaN(valueOf(b))) ||
        sign * (valueOf(a) - valueOf(b)) ||
        byWeight(a, b);
    }
    default: {
      const texts = new Map<number, string>();
      const textOf = (row: number) => {
        const known = texts.get(row) ?? table.text(row, columnId);
        texts.set(row, known);
        return known;
      };
      return (a, b) => sign * (textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0) || byWeight(a, b);
    }
  }
}
