// A capture in a few words. No vscode in here.

import { count, dateAndTime, timeOfDay } from "../../../contract/figures.js";
import { escapeMarkdown, plainText, type Words } from "../../../contract/plain-text.js";
import type { QualityRecord } from "../../../contract/protocol.generated.js";
import type { Capture, CaptureFacts } from "../capture/questions.js";
import { targetName } from "../targets/target-description.js";
import { ageText } from "../text/age.js";
import { clock } from "../text/clock.js";
import { CAPTURE_ENDING } from "./capture-file.js";
import { figuresAsMarkdown, qualityFigures, qualityProblems } from "./quality.js";

/** What the list shows of a capture file; small enough to be kept in memory for each. */
export interface CaptureSummary {
  /** Node, else application or command, else the process; empty when the file does not say. */
  readonly target: string;
  readonly otp: string;
  readonly pid: number;
  /** Milliseconds since 1970; 0 when unknown. */
  readonly startedUnixMs: number;
  readonly durationMs: number;
  readonly samples: number;
  readonly frequencyHz: number;
  readonly unit: string;
  readonly isOwn: boolean;
  /** The end of the file is missing. */
  readonly isCut: boolean;
  readonly quality: QualityRecord | null;
}

export function summaryOf({ facts, totals }: Pick<Capture, "facts" | "totals">): CaptureSummary {
  const { target, quality, startedUnixMs, durationMs, frequencyHz, unit, isOwn, isCut } = facts;
  return {
    target: targetOf(facts),
    otp: plainText(target?.otpRelease ?? "", 20),
    pid: target?.pid ?? 0,
    startedUnixMs,
    durationMs,
    samples: totals.samples,
    frequencyHz,
    unit: plainText(unit, 60),
    isOwn,
    isCut: isCut === true,
    quality,
  };
}

/** Shown wherever a capture is named: `shop@localhost, 14:03`, or the file's name when the file names neither. */
export function captureTitle(summary: CaptureSummary, fileName: string, language?: string): string {
  const name = summary.target === "" ? plainText(fileName, 80) : summary.target;
  if (summary.startedUnixMs === 0) return name;
  return `${name}, ${timeOfDay(summary.startedUnixMs, language)}`;
}

/** Names that captures get by themselves end so, and say nothing that target and age do not. */
const OWN_NAME = /-\d{8}-\d{6}(?:-\d+)?$/;

/** For the status bar: `before the change · shop@localhost · 5 min. ago`. */
export function shortCaptureText(summary: CaptureSummary, shown: { readonly fileName: string; readonly isLive: boolean; readonly nowUnixMs: number }, l10n: Words, language?: string): string {
  const stem = shown.fileName.endsWith(CAPTURE_ENDING) ? shown.fileName.slice(0, -CAPTURE_ENDING.length) : shown.fileName;
  const name = summary.target !== "" && OWN_NAME.test(stem) ? "" : plainText(stem, 40);
  const endedUnixMs = summary.startedUnixMs + summary.durationMs;
  const age = shown.isLive ? l10n.t("live") : summary.startedUnixMs === 0 ? "" : ageText(shown.nowUnixMs - endedUnixMs, language);
  return [name, plainText(summary.target, 40), age].filter((part) => part !== "").join(" · ");
}

/** `21 Nov, 14:03 · 0:30 · 12,345 samples`. */
export function captureDescription(summary: CaptureSummary, l10n: Words, language?: string): string {
  const when = summary.startedUnixMs === 0 ? "" : dateAndTime(summary.startedUnixMs, language);
  const samples = l10n.t("{0} samples", count(summary.samples, language));
  return [summary.target, when, summary.durationMs > 0 ? clock(summary.durationMs) : "", samples].filter((part) => part !== "").join(" · ");
}

export function captureProblems(summary: CaptureSummary, l10n: Words, language?: string): string[] {
  const cut = summary.isCut ? [l10n.t("The end of the file is missing: the recording or a copy was cut short. What is there is shown.")] : [];
  return [...cut, ...(summary.quality === null ? [] : qualityProblems(summary.quality, l10n, language))];
}

/** Name and value of everything the summary holds, the quality's figures apart. */
export function captureFactRows(summary: CaptureSummary, l10n: Words, language?: string): { name: string; value: string }[] {
  const rows: [string, string][] = [
    [l10n.t("Target"), summary.target],
    [l10n.t("Process"), summary.pid === 0 ? "" : String(summary.pid)],
    [l10n.t("OTP"), summary.otp],
    [l10n.t("Started"), summary.startedUnixMs === 0 ? "" : dateAndTime(summary.startedUnixMs, language, "seconds")],
    [l10n.t("Duration"), summary.durationMs > 0 ? clock(summary.durationMs) : ""],
    [l10n.t("Samples per second and thread"), summary.frequencyHz > 0 ? count(summary.frequencyHz, language) : ""],
    [l10n.t("Counted"), summary.isOwn ? "" : summary.unit],
    [l10n.t("Samples"), count(summary.samples, language)],
    [l10n.t("Written by"), summary.isOwn ? "" : l10n.t("another program")],
  ];
  return rows.filter(([, value]) => value !== "").map(([name, value]) => ({ name, value }));
}

/** Everything, as Markdown. */
export function captureTooltip(summary: CaptureSummary, fileName: string, l10n: Words, language?: string): string {
  const problems = captureProblems(summary, l10n, language).map((problem) => `${escapeMarkdown(problem)}\n\n`);
  const figures = [...captureFactRows(summary, l10n, language), ...(summary.quality === null ? [] : qualityFigures(summary.quality, l10n, language).slice(1))];
  return `**${escapeMarkdown(plainText(fileName, 200))}**\n\n${problems.join("")}${figuresAsMarkdown(figures)}`;
}

function targetOf({ target }: CaptureFacts): string {
  if (target === null) return "";
  return targetName({ node: target.node === "" ? null : target.node, command: target.command, pid: target.pid });
}
