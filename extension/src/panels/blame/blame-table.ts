// The blame answer as text for a mail and as a Markdown table for an issue.

import type { BlameRow } from "../../../../contract/messages/blame.js";
import { count, percent } from "../../../../contract/figures.js";
import { escapeMarkdown } from "../../../../contract/plain-text.js";

export interface BlameTable {
  readonly query: string;
  readonly matched: number;
  readonly busy: number;
  readonly samples: number;
  readonly rows: readonly BlameRow[];
}

export interface TableHeads {
  readonly heading: string;
  readonly fn: string;
  readonly samples: string;
  readonly ofIt: string;
  readonly ofAll: string;
  readonly place: string;
  readonly atOrBelow: string;
}

export function blameText({ matched, samples, rows }: BlameTable, heads: TableHeads, language?: string): string {
  const cells = rows.map((row) => [
    count(row.samples, language),
    percent(row.samples, matched, language, "tenths"),
    percent(row.samples, samples, language, "tenths"),
    `${"  ".repeat(row.level - 1)}${nameOf(row, heads)}`,
    row.place,
  ]);
  const table = [[heads.samples, heads.ofIt, heads.ofAll, heads.fn, heads.place], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.min(Math.max(...table.map((line) => (line[column] ?? "").length)), 100));
  const lines = table.map((line) =>
    line
      .map((cell, column) => (column < 3 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return `${heads.heading}\n\n${lines.join("\n")}\n`;
}

export function blameMarkdown({ matched, samples, rows }: BlameTable, heads: TableHeads, language?: string): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const body = rows.map((row) =>
    line([
      `${"&emsp;".repeat(row.level - 1)}${code(nameOf(row, heads))}`,
      count(row.samples, language),
      percent(row.samples, matched, language, "tenths"),
      percent(row.samples, samples, language, "tenths"),
      row.place === "" ? "" : code(row.place),
    ]),
  );
  return [escapeMarkdown(heads.heading), "", line([heads.fn, heads.samples, heads.ofIt, heads.ofAll, heads.place].map(escapeMarkdown)), "| --- | ---: | ---: | ---: | --- |", ...body, ""].join("\n");
}

function nameOf(row: BlameRow, heads: TableHeads): string {
  return row.atOrBelow ? `${row.name} (${heads.atOrBelow})` : row.name;
}

/** A code span that holds any text, in a table cell: no backtick of the text is as long as the fence, no bar ends the cell. */
function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${pad}${text.replaceAll("|", "\\|")}${pad}${fence}`;
}
