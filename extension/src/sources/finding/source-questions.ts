// What the user is asked when a source cannot be found without them.

import * as vscode from "vscode";
import type { ModulePlace } from "./module-file.js";

const MAX_SHOWN = 300;

/** Several files fit as well. @returns undefined when the user does not want to tell */
export async function askWhichFile(place: ModulePlace, files: readonly vscode.Uri[]): Promise<vscode.Uri | undefined> {
  const other: vscode.QuickPickItem = { label: vscode.l10n.t("$(folder-opened) Pick the File…") };
  const items = files.map((file) => ({ label: vscode.workspace.asRelativePath(file, true), file }));
  const picked = await vscode.window.showQuickPick<vscode.QuickPickItem & { file?: vscode.Uri }>([...items, other], {
    title: vscode.l10n.t("Which file does the VM run? It says {0}", place.file.slice(0, MAX_SHOWN)),
    placeHolder: vscode.l10n.t("The answer is remembered for this workspace"),
  });
  if (picked === other) return pickFile(place);
  return picked?.file;
}

/** No file fits. @returns undefined when the user picks none */
export async function askForFile(place: ModulePlace): Promise<vscode.Uri | undefined> {
  const pick = vscode.l10n.t("Pick the File…");
  const add = vscode.l10n.t("Add a Folder to the Workspace…");
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t(
      "The source of {0} is not in this workspace. The VM says it is {1}. Add the folder it is in to the workspace, or pick the file.",
      (place.module === "" ? place.file : place.module).slice(0, MAX_SHOWN),
      place.file.slice(0, MAX_SHOWN),
    ),
    pick,
    add,
  );
  if (answer === pick) return pickFile(place);
  if (answer === add) await vscode.commands.executeCommand("workbench.action.addRootFolder");
  return undefined;
}

async function pickFile(place: ModulePlace): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const picked = await vscode.window.showOpenDialog({
    title: vscode.l10n.t("The source of {0}", (place.module === "" ? place.file : place.module).slice(0, MAX_SHOWN)),
    canSelectMany: false,
    ...(folder === undefined ? {} : { defaultUri: folder }),
  });
  return picked?.[0];
}
