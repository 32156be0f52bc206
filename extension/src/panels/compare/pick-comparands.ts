// Prompts for the comparison: commits, a branch, or captures one by one.

import * as vscode from "vscode";
import { capturePickerRow } from "../../captures/capture-picker-row.js";
import type { CaptureRow } from "../../captures/captures-view.js";
import { commitHistory } from "../../captures/commit-history.js";
import { capturedCommits } from "../../comparison/captured-commits.js";
import type { Comparands } from "../../../../contract/messages/compare.js";
import { showManyPick, showQuickPick, type PickerRow } from "../../messages/pickers.js";
import { showInformationMessage } from "../../messages/show-message.js";
import { pickBranch } from "./pick-branch.js";
import { pickCommits } from "./pick-commits.js";

interface WayRow extends PickerRow {
  pick(): Promise<Comparands | undefined>;
}

/**
 * @param rows all captures, the newest first. Undefined when the user chose none, or when there is no choice: then a
 * message has stated the remedy.
 */
export async function pickComparands(rows: readonly CaptureRow[]): Promise<Comparands | undefined> {
  const l10n = vscode.l10n;
  if (rows.length < 2) {
    void showInformationMessage(l10n.t("A comparison needs two captures. Record another one first."));
    return undefined;
  }
  const history = await commitHistory();
  const commits = capturedCommits(
    rows,
    history.map(({ commit }) => commit),
  );
  if (commits.length === 0) return pickCaptures(rows);
  const ways: WayRow[] = [
    {
      icon: "git-commit",
      label: l10n.t("Two commits"),
      description: l10n.t("all captures of each are pooled"),
      pick: () => pickCommits(commits, history),
    },
    {
      icon: "git-branch",
      label: l10n.t("A branch and its merge base"),
      description: l10n.t("changes of the branch"),
      pick: () => pickBranch(commits),
    },
    {
      icon: "graph",
      label: l10n.t("Captures"),
      description: l10n.t("one or several for each side"),
      pick: () => pickCaptures(rows),
    },
  ];
  const way = await showQuickPick(ways, {
    title: l10n.t("Compare captures"),
    placeHolder: l10n.t("Select the kind of comparison"),
  });
  return way?.pick();
}

async function pickCaptures(rows: readonly CaptureRow[]): Promise<Comparands | undefined> {
  const l10n = vscode.l10n;
  const base = await pickSide(
    rows,
    l10n.t("Compare captures (1/2): before"),
    l10n.t("Captures of the older side; several are pooled as repetitions"),
  );
  if (base === undefined) return undefined;
  const rest = rows.filter(({ uri }) => !base.includes(uri.toString()));
  const newer = await pickSide(
    rest,
    l10n.t("Compare captures (2/2): after"),
    l10n.t("Captures of the newer side; several are pooled as repetitions"),
  );
  return newer === undefined ? undefined : { base, new: newer, measure: null };
}

async function pickSide(
  captures: readonly CaptureRow[],
  title: string,
  placeHolder: string,
): Promise<string[] | undefined> {
  const chosen = await showManyPick(captures.map(capturePickerRow), { title, placeHolder });
  return chosen === undefined || chosen.length === 0 ? undefined : chosen.map(({ capture }) => capture.uri.toString());
}
