// What hovering over a hot line says, as Markdown. Names come from a VM: each is escaped. No vscode in here.

import { count, decimal, percent } from "../../../contract/figures.js";
import { escapeMarkdown, plainText, type Words } from "../../../contract/plain-text.js";
import { classWordsOf } from "../../../contract/sample-classes.js";
import type { Capture, NeighbourCounts, PlaceDetail } from "../capture/questions.js";
import type { LineState } from "../sources/mapped-file.js";
import { uncertaintyPoints } from "./figures.js";

const BAR_CELLS = 20;
const NEIGHBOURS = 5;

export interface HoverContext {
  readonly capture: Capture;
  readonly words: Words;
  readonly language: string | undefined;
  /** A `command:` link that opens the function at the line. */
  link(functionIndex: number, line: number): string;
}

/** One function's part of a line. */
export function hoverMarkdown(functionIndex: number, detail: PlaceDetail, state: LineState, context: HoverContext): string {
  const { capture, words, language } = context;
  const { busy } = capture.totals;
  const name = plainText(capture.functions[functionIndex]?.name ?? "", 120);
  const share = (samples: number) => percent(samples, busy, language, "tenths");
  const points = decimal(uncertaintyPoints(detail.self, busy), language, 1);
  const parts = [
    `**${escapeMarkdown(name)}**`,
    escapeMarkdown(words.t("{0} self (± {1}) · {2} total · {3} of {4} busy samples", share(detail.self), points, share(detail.total), count(detail.total, language), count(busy, language))),
  ];
  const drift = stateText(state, words);
  if (drift !== "") parts.push(`_${escapeMarkdown(drift)}_`);
  if (detail.self > 0) parts.push(classTable(detail, context));
  parts.push(neighbours(words.t("Called from"), detail.callers, detail.total, context));
  parts.push(neighbours(words.t("Calls"), detail.callees, detail.total, context));
  return parts.filter((part) => part !== "").join("\n\n");
}

/** What drift did to a line; empty when nothing. */
export function stateText(state: LineState, words: Words): string {
  switch (state) {
    case "exact":
    case "moved":
      return "";
    case "changed":
      return words.t("This line was edited after the VM's code was compiled: the figures are of the line before.");
    case "gone":
      return words.t("The line is gone.");
    case "unknown":
      return words.t("This file differs from what the VM runs, so the line may not be the right one.");
  }
}

function classTable({ self, classes }: PlaceDetail, { words, language }: HoverContext): string {
  const wordsOf = classWordsOf(words);
  const rows = classes
    .filter(({ samples }) => samples > 0)
    .map(({ sampleClass, samples }) => {
      const cells = Math.max(1, Math.round((samples / self) * BAR_CELLS));
      return `| ${escapeMarkdown(wordsOf(sampleClass).name)} | ${escapeMarkdown(percent(samples, self, language, "tenths"))} | ${"█".repeat(Math.min(cells, BAR_CELLS))} |`;
    });
  if (rows.length === 0) return "";
  return [`| ${escapeMarkdown(words.t("Its own time"))} | | |`, "|:--|--:|:--|", ...rows].join("\n");
}

function neighbours(title: string, all: readonly NeighbourCounts[], total: number, context: HoverContext): string {
  if (all.length === 0) return "";
  const shown = all.slice(0, NEIGHBOURS).map(({ functionIndex, line, samples }) => {
    const name = escapeMarkdown(plainText(context.capture.functions[functionIndex]?.name ?? "", 80));
    return `[${name}](${context.link(functionIndex, line)}) ${escapeMarkdown(percent(samples, total, context.language, "tenths"))}`;
  });
  const more = all.length > NEIGHBOURS ? escapeMarkdown(` … +${String(all.length - NEIGHBOURS)}`) : "";
  return `${escapeMarkdown(title)}: ${shown.join(" · ")}${more}`;
}
