// A capture in a few words. No vscode in here.

import { count, dateAndTime, percent } from "../../../contract/figures.js";
import { escapeMarkdown, plainText, type Words } from "../../../contract/plain-text.js";
import type { QualityRecord } from "../../../contract/protocol.generated.js";
import { amountText, SAMPLES, typeOfUnit } from "../../../contract/sample-type-words.js";
import type { ScannedCapture } from "../capture/capture-scan.js";
import type { Capture, CaptureFacts, ImportedProfile, RecordedHost, RecordedWork } from "../capture/questions.js";
import { targetName } from "../targets/target-description.js";
import { clock } from "../text/clock.js";
import { captureName, joined } from "./capture-name.js";
import { workProblems, workText } from "./capture-work.js";
import { importRemark } from "./import-remark.js";
import { figuresAsMarkdown, qualityFigures, qualityProblems } from "./quality.js";
import { recordedAmount } from "./recorded-amount.js";
import { shortCommitOf } from "../commits/short-commit.js";

/** Characters of a note in a row: the other facts stay in sight. The tooltip has all of it. */
const LONGEST_ROW_NOTE = 80;

/** What the list shows of a capture file; small enough to be kept in memory for each. */
export interface CaptureSummary {
  /** Node, else application or command, else the process; empty when the file does not say. */
  readonly target: string;
  readonly otp: string;
  readonly pid: number;
  /** Milliseconds since 1970; 0 when unknown. */
  readonly startedUnixMs: number;
  readonly durationMs: number;
  /**
   * Number of samples: without markers, such as that of the time before sampling, where the capture distinguishes them. Milliseconds where
   * blocked time alone was recorded.
   */
  readonly samples: number;
  readonly frequencyHz: number;
  /** Of the file, whatever type of its samples is shown. */
  readonly unit: string;
  readonly isOwn: boolean;
  /** It shows where processes waited, and nothing of processors. */
  readonly isWaits: boolean;
  /** The end of the file is missing. */
  readonly isCut: boolean;
  /** Null unless it was made of another tool's profile. */
  readonly imported: ImportedProfile | null;
  readonly quality: QualityRecord | null;
  readonly includeKernel: boolean;
  /** Lower-case hex; empty when not known, as are the next three. */
  readonly commit: string;
  readonly branch: string;
  /** The output of `git describe`. */
  readonly describe: string;
  readonly repository: string;
  /** Name and version of the release that ran; empty when not known. */
  readonly release: string;
  /** The sources differed from the commit. */
  readonly isDirty: boolean;
  /** How many sources the capture knows as they were. */
  readonly sources: number;
  readonly host: RecordedHost | null;
  readonly work: RecordedWork | null;
  readonly note: string;
  readonly tags: readonly string[];
  readonly isPinned: boolean;
}

export function summaryOf({ facts, totals }: Pick<Capture, "facts" | "totals">): CaptureSummary {
  const {
    target,
    quality,
    startedUnixMs,
    durationMs,
    frequencyHz,
    isOwn,
    isCut,
    origin,
    build,
    user,
    host,
    work,
    includeKernel,
    waits,
    imported,
  } = facts;
  return {
    target: targetOf(facts),
    otp: plainText(target?.otpRelease ?? waits?.otpRelease ?? "", 20),
    pid: target?.pid ?? waits?.pid ?? 0,
    startedUnixMs,
    durationMs,
    ...countedIn({ facts, totals }),
    frequencyHz,
    isOwn,
    isWaits: waits !== undefined,
    isCut: isCut === true,
    imported: imported ?? null,
    quality,
    includeKernel: includeKernel === true,
    commit: origin?.commit ?? "",
    branch: plainText(origin?.branch ?? "", 100),
    describe: plainText(origin?.describe ?? "", 100),
    repository: plainText(origin?.repository ?? "", 300),
    release: plainText([build?.release ?? "", build?.version ?? ""].filter((part) => part !== "").join(" "), 100),
    isDirty: origin?.dirty === true,
    sources: Object.keys(origin?.sources ?? {}).length,
    host: host ?? null,
    work: work ?? null,
    note: plainText(user?.note ?? "", 2000),
    tags: (user?.tags ?? []).map((tag) => plainText(tag, 60)).filter((tag) => tag !== ""),
    isPinned: user?.pinned === true,
  };
}

/** What a file has, without idle time where it has times. */
function countedIn({
  facts: { isOwn, quality, unit },
  totals,
}: Pick<Capture, "facts" | "totals">): Pick<CaptureSummary, "samples" | "unit"> {
  if (!isOwn || quality === null) return { samples: totals.samples, unit: plainText(unit, 60) };
  const { amount, unit: recorded } = recordedAmount(quality);
  return { samples: amount, unit: recorded };
}

/** The same of a file that was only scanned; undefined when it is another program's, whose samples have to be read for that. */
export function summaryOfScan({
  target,
  quality,
  settings,
  startedUnixMs,
  durationMs,
  isCut,
  origin,
  build,
  host,
  user,
  work,
}: ScannedCapture): CaptureSummary | undefined {
  if (target === undefined || settings === undefined || quality === undefined) return undefined;
  const { frequencyHz, includeKernel } = settings;
  const optional = {
    ...(origin && { origin }),
    ...(build && { build }),
    ...(host && { host }),
    ...(user && { user }),
    ...(work && { work }),
  };
  const facts: CaptureFacts = {
    target,
    quality,
    startedUnixMs,
    durationMs,
    frequencyHz,
    includeKernel,
    unit: SAMPLES,
    isOwn: true,
    isCut,
    ...optional,
  };
  return summaryOf({ facts, totals: { samples: quality.samples, busy: 0 } });
}

/** Of a tab or a panel: `shop@localhost · 14:03`, or the name that the user gave the file. */
export function captureTitle(summary: CaptureSummary, fileName: string, language?: string): string {
  return captureName(fileName, summary, { nowUnixMs: Date.now(), language, longest: 80 }).label;
}

/** For the status bar: `before the change · shop@localhost · 14:03`. */
export function shortCaptureText(
  summary: CaptureSummary,
  shown: { readonly fileName: string; readonly isLive: boolean; readonly nowUnixMs: number },
  l10n: Words,
  language?: string,
): string {
  const place = { nowUnixMs: shown.nowUnixMs, language, longest: 40 };
  const { label, details } = captureName(shown.fileName, summary, place);
  return joined(label, details, shown.isLive ? l10n.t("live") : "");
}

/** What another program counted is no number of samples. */
function countedText({ samples, unit }: CaptureSummary, l10n: Words, language?: string): string {
  return amountText(samples, unit === "" ? SAMPLES : unit, l10n, language);
}

/** Beside its name: `a note · #slow · 0:30 · 12,345 samples`. */
export function captureDescription(summary: CaptureSummary, l10n: Words, language?: string): string {
  return joined(
    plainText(summary.note, LONGEST_ROW_NOTE),
    summary.tags.map((tag) => `#${tag}`).join(" "),
    summary.durationMs > 0 ? clock(summary.durationMs) : "",
    summary.isWaits ? l10n.t("where processes waited") : countedText(summary, l10n, language),
    shortCommitOf(summary),
    summary.release,
    lacksKernelTime(summary) ? l10n.t("user code only") : "",
  );
}

function lacksKernelTime({ quality }: CaptureSummary): boolean {
  return quality?.kernel?.sampled === false;
}

export function captureProblems(summary: CaptureSummary, l10n: Words, language?: string): string[] {
  const cut = summary.isCut
    ? [l10n.t("The end of the file is missing: the recording or a copy was cut short. The part that exists is shown.")]
    : [];
  const imported = importRemark(summary.imported, l10n, language);
  return [
    ...cut,
    ...(imported === "" ? [] : [imported]),
    ...workProblems(summary, l10n),
    ...(summary.quality === null ? [] : qualityProblems(summary.quality, l10n, language)),
  ];
}

/** Name and value of everything the summary holds, the quality's figures apart. @param busy samples that are not idle, where they were counted */
export function captureFactRows(
  summary: CaptureSummary,
  l10n: Words,
  language?: string,
  busy = 0,
): { name: string; value: string }[] {
  const rows: [string, string][] = [
    [l10n.t("Target"), summary.target],
    [l10n.t("Process"), summary.pid === 0 ? "" : String(summary.pid)],
    [l10n.t("OTP"), summary.otp],
    [l10n.t("Started"), summary.startedUnixMs === 0 ? "" : dateAndTime(summary.startedUnixMs, language, "seconds")],
    [l10n.t("Duration"), summary.durationMs > 0 ? clock(summary.durationMs) : ""],
    [l10n.t("Samples per second and thread"), summary.frequencyHz > 0 ? count(summary.frequencyHz, language) : ""],
    [l10n.t("Counted"), summary.isOwn ? "" : summary.unit],
    typeOfUnit(summary.unit) === undefined
      ? [l10n.t("Samples"), count(summary.samples, language)]
      : [l10n.t("Recorded"), countedText(summary, l10n, language)],
    [l10n.t("Written by"), summary.isOwn || summary.isWaits ? "" : l10n.t("another program")],
    [
      l10n.t("Commit"),
      [
        shortCommitOf(summary),
        summary.describe === "" || summary.commit.startsWith(summary.describe) ? "" : summary.describe,
      ]
        .filter((part) => part !== "")
        .join(" · "),
    ],
    [l10n.t("Release"), summary.release],
    [l10n.t("Branch"), summary.branch],
    [l10n.t("Repository"), summary.repository],
    [l10n.t("Sources known as they were"), summary.sources > 0 ? count(summary.sources, language) : ""],
    [l10n.t("Work"), workText({ ...summary, busy }, l10n, language)],
    ...hostRows(summary.host, l10n, language),
    [l10n.t("Tags"), summary.tags.join(", ")],
    [l10n.t("Note"), summary.note],
  ];
  return rows.filter(([, value]) => value !== "").map(([name, value]) => ({ name, value }));
}

function hostRows(host: RecordedHost | null, l10n: Words, language?: string): [string, string][] {
  if (host === null) return [];
  const busy = host.busy.map(
    ({ name, cpuPercent }) => `${plainText(name, 40)} ${percent(cpuPercent, 100, language, "rough")}`,
  );
  return [
    [l10n.t("Processor"), plainText(host.cpuModel, 100)],
    [l10n.t("Processors"), host.cpus > 0 ? count(host.cpus, language) : ""],
    [l10n.t("Frequency governor"), plainText(host.governor, 40)],
    [l10n.t("Processor frequency"), frequencyText(host.mhz, l10n, language)],
    [
      l10n.t("Load at the start"),
      host.cpus > 0 ? (host.load?.toLocaleString(language, { maximumFractionDigits: 2 }) ?? "") : "",
    ],
    [l10n.t("Other busy processes"), busy.join(", ")],
  ];
}

function frequencyText(mhz: RecordedHost["mhz"], l10n: Words, language?: string): string {
  if (mhz === undefined) return "";
  const text = (one: number) => count(one, language);
  const [mean, low, high] = mhz;
  return l10n.t("{0} MHz ({1} to {2})", text(mean), text(low), text(high));
}

/** Everything, as Markdown. @param busy samples that are not idle, where they were counted */
export function captureTooltip(
  summary: CaptureSummary,
  fileName: string,
  l10n: Words,
  language?: string,
  busy = 0,
): string {
  const problems = captureProblems(summary, l10n, language).map((problem) => `${escapeMarkdown(problem)}\n\n`);
  const figures = [
    ...captureFactRows(summary, l10n, language, busy),
    ...(summary.quality === null ? [] : qualityFigures(summary.quality, l10n, language).slice(1)),
  ];
  return `**${escapeMarkdown(plainText(fileName, 200))}**\n\n${problems.join("")}${figuresAsMarkdown(figures)}`;
}

function targetOf({ target, waits }: CaptureFacts): string {
  if (target === null)
    return waits === undefined
      ? ""
      : targetName({ node: waits.node === "" ? null : waits.node, command: "", pid: waits.pid });
  return targetName({ node: target.node === "" ? null : target.node, command: target.command, pid: target.pid });
}
