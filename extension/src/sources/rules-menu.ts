// The rules about paths that hold, to be looked at and taken back.

import * as vscode from "vscode";
import { LONGEST_SHOWN_NAME, shownName } from "../../../contract/plain-text.js";
import { SETTINGS } from "../contributions.js";
import { showQuickPick, type PickerRow } from "../messages/pickers.js";
import { showInformationMessage } from "../messages/show-message.js";
import type { LearnedRule } from "./rules/learned-rules.js";
import type { SourceRules } from "./rules/source-rules.js";

interface RuleRow extends PickerRow {
  /** Absent for a rule of the settings. */
  readonly learned?: LearnedRule;
}

/** Lists the rules; a learned one can be forgotten or become a setting, settings are opened. */
export async function showRules(rules: SourceRules): Promise<void> {
  const rows: RuleRow[] = [
    ...rules.set.map(({ prefix, folder }) => ({
      icon: "settings-gear",
      label: labelOf(prefix, folder),
      description: vscode.l10n.t("setting"),
    })),
    ...rules.learned.map((learned) => ({
      icon: "lightbulb",
      label: labelOf(learned.prefix, learned.folder === "" ? undefined : vscode.Uri.parse(learned.folder)),
      description:
        learned.folder === ""
          ? vscode.l10n.t("learned, and contradicted: only the files that you picked count")
          : vscode.l10n.t("learned from a file that you picked"),
      learned,
    })),
  ];
  const open: RuleRow = { icon: "gear", label: vscode.l10n.t("Open the Setting…") };
  const picked = await showQuickPick([...rows, open], {
    title: vscode.l10n.t("Source Path Rules"),
    placeHolder:
      rows.length === 0
        ? vscode.l10n.t("There are no rules yet: one is learned when you pick a file, or is set here")
        : vscode.l10n.t("Folders here for the paths that VMs report"),
  });
  if (picked === undefined) return;
  if (picked.learned === undefined)
    await vscode.commands.executeCommand("workbench.action.openSettings", `extrospect.${SETTINGS.sourcePrefixes}`);
  else await changeLearned(rules, picked.learned);
}

async function changeLearned(rules: SourceRules, learned: LearnedRule): Promise<void> {
  const forget: PickerRow = { icon: "trash", label: vscode.l10n.t("Forget This Rule") };
  const write: PickerRow = { icon: "settings-gear", label: vscode.l10n.t("Add to Settings") };
  const canWrite = learned.folder !== "" && vscode.workspace.isTrusted;
  const title = labelOf(learned.prefix, learned.folder === "" ? undefined : vscode.Uri.parse(learned.folder));
  const picked = await showQuickPick(canWrite ? [forget, write] : [forget], {
    title,
    placeHolder: vscode.l10n.t("Select an action for this rule"),
  });
  if (picked === undefined) return;
  if (picked === write) await writeIntoSettings(learned);
  await rules.forget(learned.prefix);
  if (picked === write)
    void showInformationMessage(
      vscode.l10n.t("The rule for {0} is a setting now.", shownName(learned.prefix, LONGEST_SHOWN_NAME)),
    );
}

/** Where it holds for the folder it leads to: in that folder of the workspace, and else for the user. */
async function writeIntoSettings({ prefix, folder }: LearnedRule): Promise<void> {
  const uri = vscode.Uri.parse(folder);
  // The folder of the workspace is found by a file in it.
  const workspaceFolder = vscode.workspace.getWorkspaceFolder(vscode.Uri.joinPath(uri, "_"));
  const settings = vscode.workspace.getConfiguration("extrospect", workspaceFolder?.uri);
  const inspected = settings.inspect<Record<string, unknown>>(SETTINGS.sourcePrefixes);
  if (workspaceFolder === undefined) {
    await settings.update(
      SETTINGS.sourcePrefixes,
      { ...inspected?.globalValue, [prefix]: uri.fsPath },
      vscode.ConfigurationTarget.Global,
    );
    return;
  }
  const below = uri.path.slice(workspaceFolder.uri.path.length).replace(/^\/+/, "");
  const entry = { [prefix]: below === "" ? "${workspaceFolder}" : below };
  const isOnlyFolder = vscode.workspace.workspaceFile === undefined;
  const [target, there] = isOnlyFolder
    ? ([vscode.ConfigurationTarget.Workspace, inspected?.workspaceValue] as const)
    : ([vscode.ConfigurationTarget.WorkspaceFolder, inspected?.workspaceFolderValue] as const);
  await settings.update(SETTINGS.sourcePrefixes, { ...there, ...entry }, target);
}

function labelOf(prefix: string, folder: vscode.Uri | undefined): string {
  const to = folder === undefined ? "–" : vscode.workspace.asRelativePath(folder);
  return `${shownName(prefix, LONGEST_SHOWN_NAME)} → ${shownName(to, LONGEST_SHOWN_NAME)}`;
}
