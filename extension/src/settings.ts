// What the user has set.

import * as vscode from "vscode";
import { settingValue, type SettingName, type SettingValues } from "./setting-values.js";

/** A setting as it is now; what makes no sense counts as not set. @param scope where it may be set differently */
export function setting<Name extends SettingName>(name: Name, scope?: vscode.ConfigurationScope): SettingValues[Name] {
  return settingValue(name, vscode.workspace.getConfiguration("extrospect", scope).get<unknown>(name));
}
