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

/** Changes a setting for a folder of the workspace, or for the user without one; what holds there anyway is not written. */
export async function updateFolderSetting<Name extends SettingName>(
  name: Name,
  value: SettingValues[Name],
  folder: vscode.WorkspaceFolder | undefined,
): Promise<void> {
  const settings = vscode.workspace.getConfiguration("extrospect", folder);
  const set = settings.inspect<unknown>(name);
  const isOnlyFolder = vscode.workspace.workspaceFile === undefined;
  const [target, around] =
    folder === undefined
      ? ([vscode.ConfigurationTarget.Global, undefined] as const)
      : isOnlyFolder
        ? ([vscode.ConfigurationTarget.Workspace, set?.globalValue] as const)
        : ([vscode.ConfigurationTarget.WorkspaceFolder, set?.workspaceValue ?? set?.globalValue] as const);
  const holdsAnyway = JSON.stringify(value) === JSON.stringify(settingValue(name, around));
  await settings.update(name, holdsAnyway ? undefined : value, target);
}

function whereSet(settings: vscode.WorkspaceConfiguration, name: string): vscode.ConfigurationTarget {
  const set = settings.inspect(name);
  return set?.workspaceValue === undefined ? vscode.ConfigurationTarget.Global : vscode.ConfigurationTarget.Workspace;
}
