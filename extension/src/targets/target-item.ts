// How a VM is shown as a row of a tree.

import * as vscode from "vscode";
import { COMMANDS } from "../contributions.js";
import { targetDescription, targetName, targetTooltip, type ListedVm } from "./target-description.js";

/**
 * The row of a VM that runs; a click on one that cannot be attached to shows why. The view adds the parts that
 * distinguish it from its other rows.
 */
export function targetItem(beam: ListedVm): vscode.TreeItem {
  const { l10n, env } = vscode;
  const name = targetName(beam);
  const item = new vscode.TreeItem(name);
  item.description = targetDescription(beam, l10n, env.language);
  const tooltip = new vscode.MarkdownString(targetTooltip(beam, l10n, env.language));
  tooltip.supportThemeIcons = false;
  item.tooltip = tooltip;
  item.iconPath = beam.attachable
    ? new vscode.ThemeIcon("vm-running")
    : new vscode.ThemeIcon("circle-slash", new vscode.ThemeColor("disabledForeground"));
  item.accessibilityInformation = { label: `${name}, ${item.description}` };
  if (!beam.attachable)
    item.command = {
      command: COMMANDS.explainTarget,
      title: l10n.t("Why Can This VM Not Be Captured?"),
      arguments: [beam],
    };
  return item;
}
