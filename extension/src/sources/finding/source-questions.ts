// The questions to the user when a source cannot be found without them.

import * as vscode from "vscode";
import { LONGEST_SHOWN_NAME, shownName } from "../../../../contract/plain-text.js";
import { messageText } from "../../messages/message-text.js";
import { showQuickPick, type PickerRow } from "../../messages/pickers.js";
import { showWarningMessage } from "../../messages/show-message.js";
import { ruleText, type RuleUse } from "../rule-use.js";
import type { ModulePlace } from "./module-file.js";

interface FileRow extends PickerRow {
  readonly file?: vscode.Uri;
}

/** Several files fit equally well. @param rule that had a say @returns undefined when the user picks none */
export async function askWhichFile(
  place: ModulePlace,
  files: readonly vscode.Uri[],
  rule: RuleUse | undefined,
): Promise<vscode.Uri | undefined> {
  const other: FileRow = { icon: "folder-opened", label: vscode.l10n.t("Pick the File…") };
  const rows = files.map((file): FileRow => ({ label: vscode.workspace.asRelativePath(file, true), file }));
  const picked = await showQuickPick([...rows, other], {
    title: vscode.l10n.t("Which file does the VM run? It reports {0}", shownName(place.file, LONGEST_SHOWN_NAME)),
    placeHolder: [vscode.l10n.t("The answer is remembered for this workspace"), ...ruleSentences(rule)].join(". "),
  });
  if (picked === other) return pickFile(place);
  return picked?.file;
}

/** No file fits. @param rule that had a say @returns undefined when the user picks none */
export async function askForFile(place: ModulePlace, rule: RuleUse | undefined): Promise<vscode.Uri | undefined> {
  const pick = vscode.l10n.t("Pick the File…");
  const add = vscode.l10n.t("Add a Folder to the Workspace…");
  const question = vscode.l10n.t(
    "The source of {0} is not in this workspace. The VM reports {1}. Add its folder to the workspace, or pick the file.",
    nameOf(place),
    shownName(place.file, LONGEST_SHOWN_NAME),
  );
  const answer = await showWarningMessage([question, ...ruleSentences(rule)].join(" "), pick, add);
  if (answer === pick) return pickFile(place);
  if (answer === add) await vscode.commands.executeCommand("workbench.action.addRootFolder");
  return undefined;
}

function ruleSentences(rule: RuleUse | undefined): string[] {
  return rule === undefined ? [] : [ruleText(rule, vscode.l10n)];
}

async function pickFile(place: ModulePlace): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const picked = await vscode.window.showOpenDialog({
    title: messageText(vscode.l10n.t("The source of {0}", nameOf(place))),
    canSelectMany: false,
    ...(folder === undefined ? {} : { defaultUri: folder }),
  });
  return picked?.[0];
}

function nameOf({ module, file }: ModulePlace): string {
  return shownName(module === "" ? file : module, LONGEST_SHOWN_NAME);
}
