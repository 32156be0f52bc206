// Writes a page to a file that the user chooses, and offers to open it.

import * as vscode from "vscode";
import { showInformationMessage, withStatusBarProgress } from "../messages/show-message.js";
import { errorText } from "../text/error-text.js";
import { UnreadableCapture } from "./open-capture.js";

/** A page to be saved. */
export interface PageToSave {
  /** Its subject, for messages. */
  readonly name: string;
  /** Suggested name of the file, without its ending. */
  readonly stem: string;
  /** Suggested folder where no folder is open. */
  readonly folder: vscode.Uri | undefined;
  make(): Promise<Uint8Array>;
}

/** @throws {UnreadableCapture} when the page cannot be made or written */
export async function savePage({ name, stem, folder, make }: PageToSave): Promise<void> {
  const l10n = vscode.l10n;
  const within = vscode.workspace.workspaceFolders?.[0]?.uri ?? folder;
  const target = await vscode.window.showSaveDialog({
    title: l10n.t("Export {0} as HTML", name),
    saveLabel: l10n.t("Export"),
    filters: { [l10n.t("Web page")]: ["html"] },
    ...(within && { defaultUri: vscode.Uri.joinPath(within, `${stem}.html`) }),
  });
  if (target === undefined) return;
  await withStatusBarProgress(l10n.t("Exporting {0}…", name), async () => {
    await written(target, await make());
  });
  const open = l10n.t("Open in Browser");
  const chosen = await showInformationMessage(l10n.t("The page is in {0}.", target.fsPath), open);
  if (chosen === open) await vscode.env.openExternal(target);
}

async function written(target: vscode.Uri, page: Uint8Array): Promise<void> {
  try {
    await vscode.workspace.fs.writeFile(target, page);
  } catch (error) {
    throw new UnreadableCapture(
      vscode.l10n.t("{0} cannot be written", target.fsPath),
      errorText(error),
      vscode.l10n.t("Check that you may write there, and that the folder has free space."),
    );
  }
}
