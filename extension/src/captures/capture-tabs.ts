// The tabs of a capture's file.

import * as vscode from "vscode";

/** @returns whether there were any */
export async function closeTabs(uri: vscode.Uri): Promise<boolean> {
  const ofFile = (tab: vscode.Tab) =>
    tab.input instanceof vscode.TabInputCustom && tab.input.uri.toString() === uri.toString();
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(ofFile);
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs);
  return tabs.length > 0;
}
