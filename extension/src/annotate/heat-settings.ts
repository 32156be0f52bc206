import * as vscode from "vscode";
import { SETTINGS } from "../contributions.js";

/** How annotations are wanted; read anew when the configuration changes. */
export interface HeatSettings {
  readonly codeLens: boolean;
  readonly codeLensMinimumPercent: number;
  readonly minimumSamples: number;
  readonly gutter: boolean;
  readonly overviewRuler: boolean;
  readonly lineBackground: boolean;
  readonly lineFigures: boolean;
  readonly scope: "file" | "capture";
  readonly minimumPercent: number;
}

export function readHeatSettings(): HeatSettings {
  const configuration = vscode.workspace.getConfiguration("extrospect");
  const flag = (id: string, standard: boolean): boolean => configuration.get<boolean>(id, standard);
  const amount = (id: string, standard: number): number => {
    const value = configuration.get<number>(id, standard);
    return Number.isFinite(value) && value >= 0 ? value : standard;
  };
  return {
    codeLens: flag(SETTINGS.codeLens, true),
    codeLensMinimumPercent: amount(SETTINGS.codeLensMinimumPercent, 0.5),
    minimumSamples: amount(SETTINGS.minimumSamples, 20),
    gutter: flag(SETTINGS.gutter, true),
    overviewRuler: flag(SETTINGS.overviewRuler, true),
    lineBackground: flag(SETTINGS.lineBackground, false),
    lineFigures: flag(SETTINGS.lineFigures, false),
    scope: configuration.get<string>(SETTINGS.heatScope) === "capture" ? "capture" : "file",
    minimumPercent: amount(SETTINGS.heatMinimumPercent, 0.3),
  };
}

/** Switches a setting on or off, where it is set now, else for the user. */
export async function toggleSetting<Value>(id: string, next: (value: Value | undefined) => Value): Promise<void> {
  const configuration = vscode.workspace.getConfiguration("extrospect");
  const set = configuration.inspect<Value>(id);
  const target =
    set?.workspaceFolderValue !== undefined
      ? vscode.ConfigurationTarget.WorkspaceFolder
      : set?.workspaceValue !== undefined
        ? vscode.ConfigurationTarget.Workspace
        : vscode.ConfigurationTarget.Global;
  await configuration.update(id, next(configuration.get<Value>(id)), target);
}
