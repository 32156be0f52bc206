// What the user has set.

import * as vscode from "vscode";
import { settingValue, type SettingName, type SettingValues } from "./setting-values.js";

/** A setting as it is now; what makes no sense counts as not set. @param scope where it may be set differently */
export function setting<Name extends SettingName>(name: Name, scope?: vscode.ConfigurationScope): SettingValues[Name] {
  return settingValue(name, vscode.workspace.getConfiguration("extrospect", scope).get<unknown>(name));
}

/** Changes a setting where it is set, else for the user. */
export async function updateSetting<Name extends SettingName>(name: Name, value: SettingValues[Name]): Promise<void> {
  const settings = vscode.workspace.getConfiguration("extrospect");
  await settings.update(name, value, whereSet(settings, name));
}

function whereSet(settings: vscode.WorkspaceConfiguration, name: string): vscode.ConfigurationTarget {
  const set = settings.inspect(name);
  return set?.workspaceValue === undefined ? vscode.ConfigurationTarget.Global : vscode.ConfigurationTarget.Workspace;
}
