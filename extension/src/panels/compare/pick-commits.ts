// Prompts for the two commits to compare, of those that have captures.

import * as vscode from "vscode";
import { count } from "../../../../contract/figures.js";
import { plainText } from "../../../../contract/plain-text.js";
import type { Comparands } from "../../../../contract/messages/compare.js";
import type { HistoryCommit } from "../../captures/commit-history.js";
import { captured, olderCommitFirst, type CapturedCommit } from "../../comparison/captured-commits.js";
import { commitText, comparandsOfCommits } from "../../comparison/commit-comparands.js";
import { showQuickPick, type PickerRow } from "../../messages/pickers.js";
import { showInformationMessage } from "../../messages/show-message.js";
import { ageText } from "../../text/age.js";
import { shortCommit } from "../../commits/short-commit.js";

interface CommitRow extends PickerRow {
  readonly of: CapturedCommit;
}

/** @param commits along history, newest first */
export async function pickCommits(
  commits: readonly CapturedCommit[],
  history: readonly HistoryCommit[],
): Promise<Comparands | undefined> {
  const l10n = vscode.l10n;
  if (!haveAnother(commits, commits[0])) return undefined;
  const base = await pickOne(commits, history, l10n.t("Compare commits (1/2): before"), l10n.t("The older side"));
  if (base === undefined) return undefined;
  const rest = commits.filter((one) => one !== base);
  const newer = await pickOne(
    rest,
    history,
    l10n.t("Compare commits (2/2): after"),
    l10n.t("The newer side, compared with {0}", commitText(base, l10n)),
  );
  return newer === undefined ? undefined : comparandsOfCommits(base, newer, l10n);
}

/** One side is given: the older one of both is the base. @param commit whole name */
export async function pickOtherCommit(
  commit: string,
  commits: readonly CapturedCommit[],
  history: readonly HistoryCommit[],
): Promise<Comparands | undefined> {
  const l10n = vscode.l10n;
  const given = captured(commits, commit);
  if (given === undefined) return void sayMissing([commit]);
  if (!haveAnother(commits, given)) return undefined;
  const rest = commits.filter((one) => one !== given);
  const other = await pickOne(
    rest,
    history,
    l10n.t("Compare {0} with another commit", commitText(given, l10n)),
    l10n.t("The older one of both is the side before"),
  );
  return other === undefined ? undefined : inOrder(given, other, history);
}

/** Of two commits; undefined when one has no capture, which a message states. */
export function twoCommits(
  names: readonly [string, string],
  commits: readonly CapturedCommit[],
  history: readonly HistoryCommit[],
): Comparands | undefined {
  const [a, b] = names.map((name) => captured(commits, name));
  if (a === undefined || b === undefined)
    return void sayMissing(names.filter((name) => captured(commits, name) === undefined));
  return inOrder(a, b, history);
}

function inOrder(a: CapturedCommit, b: CapturedCommit, history: readonly HistoryCommit[]): Comparands {
  const [base, newer] = olderCommitFirst(
    a,
    b,
    history.map(({ commit }) => commit),
  );
  return comparandsOfCommits(base, newer, vscode.l10n);
}

function sayMissing(commits: readonly string[]): void {
  void showInformationMessage(
    vscode.l10n.t("There is no capture of {0}: check it out and start one.", commits.map(shortCommit).join(", ")),
  );
}

function haveAnother(commits: readonly CapturedCommit[], given: CapturedCommit | undefined): boolean {
  if (commits.length > 1 || given === undefined) return true;
  void showInformationMessage(
    vscode.l10n.t(
      "Only {0} has captures. Check out the commit to compare it with and start a capture. A capture that was taken elsewhere gets its commit by Assign Commit….",
      commitText(given, vscode.l10n),
    ),
  );
  return false;
}

async function pickOne(
  commits: readonly CapturedCommit[],
  history: readonly HistoryCommit[],
  title: string,
  placeHolder: string,
): Promise<CapturedCommit | undefined> {
  const subjects = new Map(history.map(({ commit, subject }) => [commit, subject]));
  const rows = commits.map((of): CommitRow => ({
    of,
    icon: of.isDirty ? "git-compare" : "git-commit",
    label: commitText(of, vscode.l10n),
    description: commitDescription(of, subjects.get(of.commit)),
  }));
  return (await showQuickPick(rows, { title, placeHolder }))?.of;
}

/** `Prices are rounded once · main · 3 captures · 5 min. ago`. */
export function commitDescription(
  { branch, captures, newestUnixMs }: CapturedCommit,
  subject = vscode.l10n.t("not in the history of this repository"),
): string {
  const age =
    newestUnixMs > 0 && Number.isFinite(newestUnixMs) ? ageText(Date.now() - newestUnixMs, vscode.env.language) : "";
  return [subject, plainText(branch, 80), captureCount(captures.length), age].filter((part) => part !== "").join(" · ");
}

function captureCount(captures: number): string {
  const l10n = vscode.l10n;
  return captures === 1 ? l10n.t("1 capture") : l10n.t("{0} captures", count(captures, vscode.env.language));
}
