// A capture as a page of its own, with a flame graph, that opens in any browser: the page of `extrospect export --format html`.

import * as vscode from "vscode";
import { pageOfCapture } from "../editor-module/editor-module.js";
import { moduleFiles } from "../editor-module/module-files.js";
import { SETTINGS } from "../contributions.js";
import { showInformationMessage, withStatusBarProgress } from "../messages/show-message.js";
import { setting } from "../settings.js";
import { fileName } from "../text/base-name.js";
import { errorText } from "../text/error-text.js";
import { stemOf } from "./capture-file.js";
import { captureSize, profileBytes, UnreadableCapture } from "./open-capture.js";

/** Writes the page to a file that the user chooses. @throws {UnreadableCapture} */
export async function exportPage(uri: vscode.Uri): Promise<void> {
  const l10n = vscode.l10n;
  const stem = stemOf(fileName(uri));
  const target = await vscode.window.showSaveDialog({
    title: l10n.t("Export {0} as HTML", fileName(uri)),
    saveLabel: l10n.t("Export"),
    filters: { [l10n.t("Web page")]: ["html"] },
    defaultUri: vscode.Uri.joinPath(
      vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.joinPath(uri, ".."),
      `${stem}.html`,
    ),
  });
  if (target === undefined) return;
  await withStatusBarProgress(l10n.t("Exporting {0}…", fileName(uri)), async () => {
    await captureSize(uri);
    const profile = await profileBytes(uri);
    const request = { title: stem, busy: setting(SETTINGS.percentOf) === "busy" };
    const page = await pageOfCapture(moduleFiles(), request, profile);
    await written(target, page);
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
