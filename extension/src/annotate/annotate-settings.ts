// What of the annotations is switched on.

import * as vscode from "vscode";
import { SETTINGS } from "../contributions.js";
import { showStatusBarMessage } from "../messages/show-message.js";

export interface AnnotateSettings {
  readonly codeLens: boolean;
  readonly codeLensMinimumPercent: number;
  readonly gutter: boolean;
  readonly overviewRuler: boolean;
  readonly lineBackground: boolean;
  readonly lineFigures: boolean;
  readonly heatScope: "file" | "capture";
  readonly heatMinimumPercent: number;
  readonly minimumSamples: number;
}

/** Settings can hold anything: what makes no sense counts as the default. */
export function annotateSettings(): AnnotateSettings {
  const settings = vscode.workspace.getConfiguration("extrospect");
  const flag = (name: string, otherwise: boolean) => {
    const value = settings.get<unknown>(name);
    return typeof value === "boolean" ? value : otherwise;
  };
  const number = (name: string, otherwise: number) => {
    const value = settings.get<unknown>(name);
    return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : otherwise;
  };
  return {
    codeLens: flag(SETTINGS.codeLens, true),
    codeLensMinimumPercent: number(SETTINGS.codeLensMinimumPercent, 0.5),
    gutter: flag(SETTINGS.gutter, true),
    overviewRuler: flag(SETTINGS.overviewRuler, true),
    lineBackground: flag(SETTINGS.lineBackground, false),
    lineFigures: flag(SETTINGS.lineFigures, false),
    heatScope: settings.get<unknown>(SETTINGS.heatScope) === "capture" ? "capture" : "file",
    heatMinimumPercent: number(SETTINGS.heatMinimumPercent, 0.3),
    minimumSamples: number(SETTINGS.minimumSamples, 20),
  };
}

/** Turns a setting that is true or false over, where it is set, else for the user. */
export async function toggle(name: string, otherwise: boolean): Promise<void> {
  const settings = vscode.workspace.getConfiguration("extrospect");
  await settings.update(name, settings.get<unknown>(name, otherwise) !== true, whereSet(settings, name));
}

export async function toggleHeatScope(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("extrospect");
  const scope = annotateSettings().heatScope === "file" ? "capture" : "file";
  await settings.update(SETTINGS.heatScope, scope, whereSet(settings, SETTINGS.heatScope));
  const text = scope === "file" ? vscode.l10n.t("Heat compares with the hottest line of the file") : vscode.l10n.t("Heat compares with the hottest line of the capture");
  showStatusBarMessage(text, 4000);
}

function whereSet(settings: vscode.WorkspaceConfiguration, name: string): vscode.ConfigurationTarget {
  const set = settings.inspect(name);
  return set?.workspaceValue === undefined ? vscode.ConfigurationTarget.Global : vscode.ConfigurationTarget.Workspace;
}
