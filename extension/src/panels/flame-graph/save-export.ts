// Writes what the flame graph exports where the reader wants it.

import * as vscode from "vscode";
import type { ExportFormat, ToHost } from "../../../../contract/messages/flame-graph.js";
import { showInformationMessage } from "../../messages/show-message.js";
import { fileName } from "../../text/base-name.js";
import { errorText } from "../../text/error-text.js";
import { markdownPicture } from "../../text/markdown-picture.js";

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
  await write(target, new TextEncoder().encode(text));
  const open = vscode.l10n.t("Open");
  const chosen = await showInformationMessage(vscode.l10n.t("The flame graph is in {0}.", target.fsPath), open);
  if (chosen === open) await vscode.commands.executeCommand("vscode.open", target);
}

/**
 * Saves the picture, and copies a text that refers to it: a text field of a pull request takes a text or a picture from
 * the clipboard, not both.
 * @param summary Markdown about the capture
 */
export async function saveForMarkdown(
  { title, suggestedName, png }: Extract<ToHost, { type: "pictureForMarkdown" }>,
  captureUri: vscode.Uri | undefined,
  summary: () => Promise<string>,
): Promise<void> {
  const { l10n } = vscode;
  const target = await vscode.window.showSaveDialog({
    defaultUri: place(suggestedName, captureUri),
    filters: { [l10n.t("PNG picture")]: ["png"] },
    title: l10n.t("Save the picture, and copy a text with it"),
  });
  if (!target) return;
  await write(target, Buffer.from(png, "base64"));
  await vscode.env.clipboard.writeText(`${await summary()}\n${markdownPicture(title, fileName(target))}\n`);
  const show = l10n.t("Show in Folder");
  const text = l10n.t(
    "Copied as Markdown. It refers to {0}: in a pull request, drop this picture into the text.",
    target.fsPath,
  );
  if ((await showInformationMessage(text, show)) === show)
    await vscode.commands.executeCommand("revealFileInOS", target);
}

/** @throws {Error} it cannot be written */
async function write(target: vscode.Uri, content: Uint8Array): Promise<void> {
  try {
    await vscode.workspace.fs.writeFile(target, content);
  } catch (error) {
    throw new Error(vscode.l10n.t("The flame graph could not be saved as {0}: {1}", target.fsPath, errorText(error)));
  }
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
