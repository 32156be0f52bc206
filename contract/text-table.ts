// A table that is copied: as Markdown for a pull request or a chat, as text for a mail. No vscode, no page.

import { escapeMarkdown } from "./plain-text.js";

export interface TableColumn {
  readonly title: string;
  /** `code`: a name in code; `figure`: aligned at its end. */
  readonly kind: "code" | "figure" | "text";
}

export interface TableRow {
  readonly cells: readonly string[];
  /** Depth in a tree: 0 at the top. */
  readonly depth?: number;
  /** The head of a group: its first cell is no code. */
  readonly isHead?: boolean;
}

export interface CopiedTable {
  readonly heading: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow[];
  /** Below the rows: how many others there are. */
  readonly rest?: string;
}

/** Characters of a column in a table of text: one endless name does not push the others out of sight. */
const WIDEST = 100;

export function tableAsMarkdown({ heading, columns, rows, rest = "" }: CopiedTable): string {
  const below = rest === "" ? [] : [escapeMarkdown(rest), ""];
  return [escapeMarkdown(heading), "", ...markdownTable(columns, rows), "", ...below].join("\n");
}

/** Its lines alone. */
export function markdownTable(columns: readonly TableColumn[], rows: readonly TableRow[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map(({ title }) => escapeMarkdown(title))),
    line(columns.map(({ kind }) => (kind === "figure" ? "---:" : "---"))),
    ...rows.map((row) => line(columns.map(({ kind }, at) => markdownCell(row, at, kind)))),
  ];
}

function markdownCell({ cells, depth = 0, isHead = false }: TableRow, at: number, kind: TableColumn["kind"]): string {
  const text = cells[at] ?? "";
  if (isHead && at === 0) return `**${escapeMarkdown(text)}**`;
  const written = kind === "code" ? codeSpan(text) : kind === "text" ? escapeMarkdown(text) : text;
  return at === 0 ? `${"&emsp;".repeat(depth)}${written}` : written;
}

/** In columns of one width; figures first, as names are of any length. */
export function tableAsText({ heading, columns, rows, rest = "" }: CopiedTable): string {
  const isFigure = (at: number) => columns[at]?.kind === "figure";
  const places = [...columns.keys()].sort((a, b) => Number(isFigure(b)) - Number(isFigure(a)));
  const table = [
    columns.map(({ title }) => title),
    ...rows.map(({ cells, depth = 0 }) => cells.map((cell, at) => (at === 0 ? `${"  ".repeat(depth)}${cell}` : cell))),
  ];
  const widths = columns.map((_, at) => Math.min(Math.max(...table.map((cells) => (cells[at] ?? "").length)), WIDEST));
  const lines = table.map((cells) =>
    places
      .map((at) =>
        isFigure(at) ? (cells[at] ?? "").padStart(widths[at] ?? 0) : (cells[at] ?? "").padEnd(widths[at] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  return `${[heading, "", ...lines, ...(rest === "" ? [] : ["", rest])].join("\n")}\n`;
}

/** A code span that holds any text, in a table cell: no backtick of the text is as long as the fence, no bar ends the cell. */
export function codeSpan(text: string): string {
  if (text === "") return "";
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${pad}${text.replaceAll("|", "\\|")}${pad}${fence}`;
}
