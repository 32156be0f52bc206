// The blame answer as text for a mail and as a Markdown table for an issue.

import { wholeOf, type CaptureTotals, type PercentOf } from "../../../../contract/capture-answers.js";
import type { BlameRow } from "../../../../contract/messages/blame.js";
import { marked, percent } from "../../../../contract/figures.js";
import { shortAmount } from "../../../../contract/sample-type-words.js";
import { tableAsMarkdown, tableAsText, type CopiedTable } from "../../../../contract/text-table.js";

export interface BlameTable extends CaptureTotals {
  readonly query: string;
  readonly matched: number;
  /** What 100 % is. */
  readonly percentOf: PercentOf;
  /** Shares of fewer samples are marked. */
  readonly minimumSamples: number;
  /** The unit of counts: `samples`. */
  readonly unit: string;
  readonly rows: readonly BlameRow[];
}

export interface TableHeads {
  readonly heading: string;
  readonly fn: string;
  readonly samples: string;
  readonly ofIt: string;
  readonly ofWhole: string;
  readonly place: string;
  readonly atOrBelow: string;
}

export function blameText(blamed: BlameTable, heads: TableHeads, language?: string): string {
  return tableAsText(copiedTable(blamed, heads, language));
}

export function blameMarkdown(blamed: BlameTable, heads: TableHeads, language?: string): string {
  return tableAsMarkdown(copiedTable(blamed, heads, language));
}

function copiedTable(blamed: BlameTable, heads: TableHeads, language?: string): CopiedTable {
  const { matched, rows } = blamed;
  const whole = wholeOf(blamed, blamed.percentOf);
  const shareOf = (samples: number, of: number) =>
    marked(percent(samples, of, language, "tenths"), samples, blamed.minimumSamples);
  return {
    heading: heads.heading,
    columns: [
      { title: heads.fn, kind: "code" },
      { title: heads.samples, kind: "figure" },
      { title: heads.ofIt, kind: "figure" },
      { title: heads.ofWhole, kind: "figure" },
      { title: heads.place, kind: "code" },
    ],
    rows: rows.map((row) => ({
      depth: row.level - 1,
      cells: [
        nameOf(row, heads),
        shortAmount(row.samples, blamed.unit, language),
        shareOf(row.samples, matched),
        shareOf(row.samples, whole),
        row.place,
      ],
    })),
  };
}

function nameOf(row: BlameRow, heads: TableHeads): string {
  return row.atOrBelow ? `${row.name} (${heads.atOrBelow})` : row.name;
}
