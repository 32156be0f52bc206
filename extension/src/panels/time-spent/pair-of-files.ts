// Two captures of one VM and the same time: one of processor time, one of where processes waited. From either of them to the other, and both opened.

import * as vscode from "vscode";
import type { Capture } from "../../capture/questions.js";
import type { OpenCapture } from "../../captures/capture-store.js";
import { capturePickerRow } from "../../captures/capture-picker-row.js";
import { captureTitle, summaryOf, type CaptureSummary } from "../../captures/capture-summary.js";
import { decoded, UnreadableCapture } from "../../captures/open-capture.js";
import { showQuickPick } from "../../messages/pickers.js";
import { withStatusBarProgress } from "../../messages/show-message.js";
import { fileName } from "../../text/base-name.js";
import { processNames, sharedTime, SpentTime, type NoPair } from "./spent-time.js";

export interface PairOfFiles {
  readonly cpu: vscode.Uri;
  readonly waits: vscode.Uri;
}

/** A capture in the list. */
export interface ListedFile {
  readonly uri: vscode.Uri;
  readonly summary: CaptureSummary | null | undefined;
}

interface Known extends ListedFile {
  readonly summary: CaptureSummary;
}

/** Both, opened. */
export class OpenPair {
  readonly time: SpentTime;
  readonly cpu: OpenCapture;
  readonly waits: OpenCapture;

  constructor(files: PairOfFiles, time: SpentTime) {
    this.time = time;
    this.cpu = asOpened(files.cpu, time.cpu);
    this.waits = asOpened(files.waits, time.waits);
  }
}

/** @throws {UnreadableCapture} when one of them cannot be read, or when they do not belong together */
export async function openPair(files: PairOfFiles): Promise<OpenPair> {
  const { l10n } = vscode;
  return withStatusBarProgress(l10n.t("Opening {0} captures…", 2), async () => {
    const waits = await decoded(files.waits);
    const watched = waits.facts.waits;
    if (watched === undefined) throw noPair(files, "noWaits");
    const cpu = await decoded(files.cpu, { processNames: processNames(watched) });
    const shared = sharedTime(cpu.facts, waits.facts);
    if (typeof shared === "string") throw noPair(files, shared);
    return new OpenPair(files, new SpentTime(cpu, waits, watched, shared));
  });
}

/**
 * The pair that a capture belongs to: the other one is of the same VM and of about the same time; the user chooses
 * where there are several.
 * @param given one file, two, or none: then the user chooses a watch of waits first
 * @throws {UnreadableCapture} when there is no other one
 */
export async function pairOf(
  given: readonly vscode.Uri[],
  listed: readonly ListedFile[],
): Promise<PairOfFiles | undefined> {
  const { l10n } = vscode;
  const all = listed.flatMap(({ uri, summary }): Known[] =>
    summary === null || summary === undefined ? [] : [{ uri, summary }],
  );
  const known = given
    .map((uri) => all.find((row) => row.uri.toString() === uri.toString()))
    .filter((row) => row !== undefined);
  const first =
    known.find(({ summary }) => summary.isWaits) ??
    known[0] ??
    (given.length === 0
      ? await picked(
          l10n.t("Where processes waited"),
          all.filter(({ summary }) => summary.isWaits),
        )
      : undefined);
  const [named] = given;
  if (first === undefined) {
    if (named === undefined) return undefined;
    throw new UnreadableCapture(
      l10n.t("{0} is not in the list of captures", fileName(named)),
      l10n.t("the other capture of the same time is searched for there"),
      l10n.t("Import it first."),
    );
  }
  const second = known.find((row) => row !== first);
  const others = second === undefined ? all.filter((row) => goTogether(first.summary, row.summary)) : [second];
  if (others.length === 0) {
    const why = first.summary.isWaits
      ? l10n.t("no capture of processor time is of the same VM and time")
      : l10n.t("no wait capture is of the same VM and time");
    throw new UnreadableCapture(
      l10n.t("{0} stands alone", fileName(first.uri)),
      why,
      l10n.t("Take both at once: “Start CPU and Wait Capture…”."),
    );
  }
  const other = others.length === 1 ? others[0] : await picked(l10n.t("The other capture"), others);
  if (other === undefined) return undefined;
  return first.summary.isWaits ? { waits: first.uri, cpu: other.uri } : { cpu: first.uri, waits: other.uri };
}

async function picked(placeHolder: string, rows: readonly Known[]): Promise<Known | undefined> {
  const { l10n } = vscode;
  if (rows.length === 0)
    throw new UnreadableCapture(
      l10n.t("There is no wait capture"),
      l10n.t("none was taken yet"),
      l10n.t("Take both at once: “Start CPU and Wait Capture…”."),
    );
  const choices = rows.map(capturePickerRow);
  return (await showQuickPick(choices, { title: l10n.t("CPU and Waits Together"), placeHolder }))?.capture;
}

function goTogether(one: CaptureSummary, other: CaptureSummary): boolean {
  const isOfBoth = one.isWaits ? other.isOwn : other.isWaits;
  const [oneEnd, otherEnd] = [one.startedUnixMs + one.durationMs, other.startedUnixMs + other.durationMs];
  return isOfBoth && one.pid === other.pid && one.startedUnixMs < otherEnd && other.startedUnixMs < oneEnd;
}

function noPair({ cpu, waits }: PairOfFiles, problem: NoPair): UnreadableCapture {
  const { l10n } = vscode;
  const what = l10n.t("{0} and {1} cannot be shown together", fileName(cpu), fileName(waits));
  const fix = l10n.t("Take both at once: “Start CPU and Wait Capture…”.");
  switch (problem) {
    case "noWaits":
      return new UnreadableCapture(
        what,
        l10n.t("{0} does not contain how long processes of each name waited", fileName(waits)),
        fix,
      );
    case "noCpu":
      return new UnreadableCapture(what, l10n.t("{0} is not a capture of processor time", fileName(cpu)), fix);
    case "otherVm":
      return new UnreadableCapture(what, l10n.t("they are of two VMs"), fix);
    case "noSecondSnapshot":
      return new UnreadableCapture(
        what,
        l10n.t("{0} covers no time: the VM was halted, or had ended, before the second snapshot", fileName(waits)),
        fix,
      );
    case "otherTime":
      return new UnreadableCapture(what, l10n.t("they are of two times that do not overlap"), fix);
  }
}

function asOpened(uri: vscode.Uri, capture: Capture): OpenCapture {
  return { uri, title: captureTitle(summaryOf(capture), fileName(uri), vscode.env.language), capture, live: false };
}
