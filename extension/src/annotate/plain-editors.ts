// The editors that have marks.

import * as vscode from "vscode";

/** Those in sight that are a tab of their own; comparisons and peeks are left alone. */
export function plainEditors(): vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter(isPlain);
}

function isPlain({ document, viewColumn }: vscode.TextEditor): boolean {
  if (document.uri.scheme !== "file" || viewColumn === undefined) return false;
  const group = vscode.window.tabGroups.all.find((each) => each.viewColumn === viewColumn);
  return !(group?.activeTab?.input instanceof vscode.TabInputTextDiff);
}
