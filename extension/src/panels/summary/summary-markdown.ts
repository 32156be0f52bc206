// The summary as Markdown, for a chat or an issue. No vscode in here.

import { wholeOf } from "../../../../contract/capture-answers.js";
import { marked, percent } from "../../../../contract/figures.js";
import type { SentencePart, SummaryData } from "../../../../contract/messages/summary.js";
import { escapeMarkdown } from "../../../../contract/plain-text.js";
import { codeSpan, markdownTable, type TableColumn } from "../../../../contract/text-table.js";

export interface SummaryHeads {
  readonly line: string;
  readonly fn: string;
  readonly share: string;
}

export function summaryMarkdown(data: SummaryData, heads: SummaryHeads, language?: string): string {
  const share = (samples: number) =>
    marked(percent(samples, wholeOf(data, data.percentOf), language, "tenths"), samples, data.minimumSamples);
  const rows = [
    ...(data.lines ?? []).map(({ place, name, samples }) => ({ cells: [place, name, share(samples)] })),
    ...data.functions.map(({ name, samples }) => ({ cells: ["", name, share(samples)] })),
  ];
  const columns: TableColumn[] = [
    { title: heads.line, kind: "code" },
    { title: heads.fn, kind: "code" },
    { title: heads.share, kind: "figure" },
  ];
  const table = rows.length === 0 ? [] : [...markdownTable(columns, rows), ""];
  return [
    `**${escapeMarkdown(data.title)}**`,
    "",
    [data.headline.map(partText).join(""), ...data.details.map(escapeMarkdown)].join(" "),
    "",
    ...table,
  ].join("\n");
}

function partText(part: SentencePart): string {
  return typeof part === "string" ? escapeMarkdown(part) : codeSpan(part.name);
}
