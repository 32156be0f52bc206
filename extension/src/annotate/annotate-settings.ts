// What of the annotations is switched on.

import * as vscode from "vscode";
import type { PercentOf } from "../../../contract/capture-answers.js";
import { SETTINGS } from "../contributions.js";
import { showStatusBarMessage } from "../messages/show-message.js";
import type { SettingName, SettingValues } from "../setting-values.js";
import { setting, updateSetting } from "../settings.js";

/** Settings that are true or false. */
type FlagName = { [Name in SettingName]: SettingValues[Name] extends boolean ? Name : never }[SettingName];

export interface AnnotateSettings {
  readonly codeLens: boolean;
  readonly codeLensMinimumPercent: number;
  readonly gutter: boolean;
  readonly overviewRuler: boolean;
  readonly lineBackground: boolean;
  readonly lineFigures: boolean;
  readonly heatScope: "file" | "capture";
  readonly heatMinimumPercent: number;
  readonly percentOf: PercentOf;
}

export function annotateSettings(): AnnotateSettings {
  return {
    codeLens: setting(SETTINGS.codeLens),
    codeLensMinimumPercent: setting(SETTINGS.codeLensMinimumPercent),
    gutter: setting(SETTINGS.gutter),
    overviewRuler: setting(SETTINGS.overviewRuler),
    lineBackground: setting(SETTINGS.lineBackground),
    lineFigures: setting(SETTINGS.lineFigures),
    heatScope: setting(SETTINGS.heatScope),
    heatMinimumPercent: setting(SETTINGS.heatMinimumPercent),
    percentOf: setting(SETTINGS.percentOf),
  };
}

/** Turns a setting that is true or false over. */
export async function toggle(name: FlagName): Promise<void> {
  await updateSetting(name, !setting(name) as SettingValues[FlagName]);
}

export async function toggleHeatScope(): Promise<void> {
  const scope = setting(SETTINGS.heatScope) === "file" ? "capture" : "file";
  await updateSetting(SETTINGS.heatScope, scope);
  const text =
    scope === "file"
      ? vscode.l10n.t("Heat is scaled to the hottest line of the file")
      : vscode.l10n.t("Heat is scaled to the hottest line of the capture");
  showStatusBarMessage(text, 4000);
}
