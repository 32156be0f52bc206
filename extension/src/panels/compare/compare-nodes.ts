// Node against node: which two nodes of the capture in view are compared, as the files they are in.

import * as vscode from "vscode";
import type { Comparands } from "../../../../contract/messages/compare.js";
import { count } from "../../../../contract/figures.js";
import type { OpenCapture } from "../../captures/capture-store.js";
import { showQuickPick, type PickerRow } from "../../messages/pickers.js";
import { showInformationMessage } from "../../messages/show-message.js";

interface NodeRow extends PickerRow {
  readonly file: vscode.Uri;
}

/**
 * @param given may name both: `{base, new}` as nodes. Undefined when the user chose none, or when there is no choice:
 * then a message has stated the reason
 */
export async function nodeComparands(opened: OpenCapture | undefined, given: unknown): Promise<Comparands | undefined> {
  const l10n = vscode.l10n;
  const files = opened?.files;
  if (opened === undefined || files === undefined || files.size < 2) {
    void showInformationMessage(l10n.t("The capture in view is not of several nodes."));
    return undefined;
  }
  if (opened.live) {
    void showInformationMessage(l10n.t("Nodes are compared when their captures have ended. Stop the capture first."));
    return undefined;
  }
  const named = (name: "base" | "new") =>
    typeof given === "object" && given !== null
      ? files.get(String((given as Record<string, unknown>)[name]))
      : undefined;
  const [base, newer] = [named("base"), named("new")];
  if (base !== undefined && newer !== undefined)
    return { base: [base.toString()], new: [newer.toString()], measure: null };
  const rows = opened.capture.nodeShares().flatMap(({ name, busy }): NodeRow[] => {
    const file = files.get(name);
    return file === undefined
      ? []
      : [{ file, label: name, description: l10n.t("{0} busy samples", count(busy, vscode.env.language)) }];
  });
  const title = l10n.t("Compare Two Nodes");
  const first = await showQuickPick(rows, {
    title,
    placeHolder: l10n.t("Baseline node"),
    ignoreFocusOut: true,
  });
  if (first === undefined) return undefined;
  const other = await showQuickPick(
    rows.filter((row) => row !== first),
    { title, placeHolder: l10n.t("The node to compare with {0}", first.label), ignoreFocusOut: true },
  );
  return other === undefined
    ? undefined
    : { base: [first.file.toString()], new: [other.file.toString()], measure: null };
}
