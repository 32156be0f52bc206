// Capture files to other places and from there, as they are; profiles of other tools become captures.

import { constants } from "node:fs";
import { copyFile, readdir, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import * as vscode from "vscode";
import { count } from "../../../contract/figures.js";
import { showInformationMessage } from "../messages/show-message.js";
import { fileName } from "../text/base-name.js";
import { errorText } from "../text/error-text.js";
import { CAPTURE_ENDING, copyName, freeName, importedName } from "./capture-file.js";
import { folderForCapture } from "./capture-folder.js";
import { captureSize, profileBytes, profileFilters, UnreadableCapture } from "./open-capture.js";

const GZIP_BEGIN = 0x1f;

/** One capture to a file that the user names. */
export async function exportCapture(uri: vscode.Uri): Promise<void> {
  const l10n = vscode.l10n;
  const target = await vscode.window.showSaveDialog({
    title: l10n.t("Export {0}", fileName(uri)),
    saveLabel: l10n.t("Export"),
    filters: { [l10n.t("Captures")]: ["gz"] },
    defaultUri: vscode.Uri.joinPath(
      vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.joinPath(uri, ".."),
      fileName(uri),
    ),
  });
  if (target === undefined) return;
  const name = copyName(fileName(target));
  const copy = vscode.Uri.joinPath(target, "..", name);
  if (copy.toString() === uri.toString()) return;
  // The dialog has confirmed that an existing file of the chosen name may be replaced.
  await vscode.workspace.fs.copy(uri, copy, { overwrite: name === fileName(target) });
}

/** Several captures to a folder; existing files stay. */
export async function exportCaptures(uris: readonly vscode.Uri[]): Promise<void> {
  const l10n = vscode.l10n;
  if (uris.length === 0) {
    void showInformationMessage(l10n.t("There is no capture to export."));
    return;
  }
  const [folder] =
    (await vscode.window.showOpenDialog({
      title: l10n.t("Export {0} Captures To…", count(uris.length, vscode.env.language)),
      openLabel: l10n.t("Export Here"),
      canSelectFiles: false,
      canSelectFolders: true,
    })) ?? [];
  if (folder === undefined) return;
  const copied = await copyAll(uris, folder);
  void showInformationMessage(
    l10n.t("{0} captures are in {1} now.", count(copied.length, vscode.env.language), folder.fsPath),
  );
}

/** Files that the user chooses become captures of this workspace. @returns them as they are here */
export async function importCaptures(context: vscode.ExtensionContext): Promise<readonly vscode.Uri[]> {
  const l10n = vscode.l10n;
  const chosen = await vscode.window.showOpenDialog({
    title: l10n.t("Import Captures"),
    openLabel: l10n.t("Import"),
    canSelectMany: true,
    filters: profileFilters(),
  });
  if (chosen === undefined || chosen.length === 0) return [];
  const folder = vscode.Uri.file(await folderForCapture(context));
  return transferAll(chosen, folder, importedName, async (uri, target) => {
    if (fileName(uri).endsWith(CAPTURE_ENDING)) return copied(uri, target);
    await captureSize(uri);
    const profile = await profileBytes(uri);
    const bytes = profile[0] === GZIP_BEGIN ? profile : await promisify(gzip)(profile);
    await writeFile(target.fsPath, bytes, { flag: "wx" });
  });
}

/** Their names stay, with a number where one is taken. @throws {UnreadableCapture} naming the first file that cannot be copied */
function copyAll(uris: readonly vscode.Uri[], folder: vscode.Uri): Promise<vscode.Uri[]> {
  return transferAll(uris, folder, (name) => name, copied);
}

/** @param place makes the file of another one @throws {UnreadableCapture} naming the first file for which that fails */
async function transferAll(
  uris: readonly vscode.Uri[],
  folder: vscode.Uri,
  nameOf: (name: string) => string,
  place: (uri: vscode.Uri, target: vscode.Uri) => Promise<void>,
): Promise<vscode.Uri[]> {
  const placed: vscode.Uri[] = [];
  const taken = new Set(
    folder.scheme === "file"
      ? await readdir(folder.fsPath)
      : (await vscode.workspace.fs.readDirectory(folder)).map(([name]) => name),
  );
  for (const uri of uris) {
    const own = fileName(uri);
    const name = freeName(nameOf(own), (candidate) => taken.has(candidate));
    taken.add(name);
    const target = vscode.Uri.joinPath(folder, name);
    try {
      await place(uri, target);
    } catch (error) {
      if (error instanceof UnreadableCapture) throw error;
      throw new UnreadableCapture(
        vscode.l10n.t("{0} cannot be copied", own),
        errorText(error),
        vscode.l10n.t("Check that you may read it, and that the folder has free space."),
      );
    }
    placed.push(target);
  }
  return placed;
}

async function copied(uri: vscode.Uri, target: vscode.Uri): Promise<void> {
  if (uri.scheme === "file" && target.scheme === "file")
    await copyFile(uri.fsPath, target.fsPath, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  else await vscode.workspace.fs.copy(uri, target, { overwrite: false });
}
