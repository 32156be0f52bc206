// Writes what the flame graph exports where the reader wants it.

import * as vscode from "vscode";
import type { ExportFormat, ToHost } from "../../../../contract/messages/flame-graph.js";
import { showInformationMessage } from "../../messages/show-message.js";
import { errorText } from "../../text/error-text.js";

type ExportMessage = Extract<ToHost, { type: "export" }>;

export async function saveExport(
  { format, suggestedName, text }: ExportMessage,
  captureUri: vscode.Uri | undefined,
): Promise<void> {
  const target = await vscode.window.showSaveDialog({
    defaultUri: place(suggestedName, captureUri),
    filters: filters(format),
    title: vscode.l10n.t("Export the flame graph"),
  });
  if (!target) return;
  try {
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  } catch (error) {
    throw new Error(vscode.l10n.t("The flame graph could not be saved as {0}: {1}", target.fsPath, errorText(error)));
  }
  const open = vscode.l10n.t("Open");
  const chosen = await showInformationMessage(vscode.l10n.t("The flame graph is in {0}.", target.fsPath), open);
  if (chosen === open) await vscode.commands.executeCommand("vscode.open", target);
}

/** Beside the capture, else in the workspace. */
function place(name: string, captureUri: vscode.Uri | undefined): vscode.Uri {
  // The name comes from the page, which makes it of the capture's title.
  const safe = name.replace(/[^\w.-]+/g, "-").slice(0, 120) || "flame-graph";
  const folder =
    captureUri?.scheme === "file" ? vscode.Uri.joinPath(captureUri, "..") : vscode.workspace.workspaceFolders?.[0]?.uri;
  return folder ? vscode.Uri.joinPath(folder, safe) : vscode.Uri.file(safe);
}

function filters(format: ExportFormat): Record<string, string[]> {
  switch (format) {
    case "svg":
      return { [vscode.l10n.t("SVG picture")]: ["svg"] };
    case "folded":
      return { [vscode.l10n.t("Folded stacks")]: ["txt", "folded"] };
    case "speedscope":
      return { [vscode.l10n.t("speedscope profile")]: ["json"] };
  }
}
