// The folder captures go to and are looked for in.

import { isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { SETTINGS } from "../contributions.js";
import { setting } from "../settings.js";
import { keepOutOfGit } from "./own-gitignore.js";

/** The capture folder of a workspace folder, or of no workspace: then the extension's own. Undefined when it is not on this machine's disk. */
export function captureFolderOf(folder: vscode.WorkspaceFolder | undefined, context: vscode.ExtensionContext): vscode.Uri | undefined {
  const wanted = setting(SETTINGS.captureFolder, folder).trim();
  if (isAbsolute(wanted)) return vscode.Uri.file(wanted);
  if (folder === undefined) return vscode.Uri.joinPath(context.globalStorageUri, "captures");
  const uri = vscode.Uri.joinPath(folder.uri, ...wanted.split(/[\\/]+/));
  return uri.scheme === "file" || uri.scheme === "vscode-remote" ? uri : undefined;
}

/** All folders captures are listed from, each once. */
export function captureFolders(context: vscode.ExtensionContext): vscode.Uri[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const all = [...folders.map((folder) => captureFolderOf(folder, context)), captureFolderOf(undefined, context)];
  const byText = new Map(all.filter((uri) => uri !== undefined).map((uri) => [uri.toString(), uri]));
  return [...byText.values()];
}

/** Where a new capture goes, made if it is not there; absolute path. */
export async function folderForCapture(context: vscode.ExtensionContext): Promise<string> {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = (active === undefined ? undefined : vscode.workspace.getWorkspaceFolder(active)) ?? vscode.workspace.workspaceFolders?.[0];
  const onDisk = folder?.uri.scheme === "file" ? captureFolderOf(folder, context) : undefined;
  const uri = onDisk ?? vscode.Uri.file(join(context.globalStorageUri.fsPath, "captures"));
  await vscode.workspace.fs.createDirectory(uri);
  if (onDisk !== undefined) await keepOutOfGit(uri.fsPath);
  return uri.fsPath;
}
