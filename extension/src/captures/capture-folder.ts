// The folder captures go to and are looked for in.

import { createHash } from "node:crypto";
import { isAbsolute, relative } from "node:path";
import * as vscode from "vscode";
import { SETTINGS } from "../contributions.js";
import { setting } from "../settings.js";
import { fileName } from "../text/base-name.js";
import { keepOutOfGit } from "./own-gitignore.js";

/** Where captures went before they went outside of the project, and where `npm start` of this project puts them. */
const FORMER_FOLDER = "captures";

/** The capture folder of a workspace folder, or of no workspace: then the extension's own. Undefined when it is not on this machine's disk. */
export function captureFolderOf(
  folder: vscode.WorkspaceFolder | undefined,
  context: vscode.ExtensionContext,
): vscode.Uri | undefined {
  const wanted = setting(SETTINGS.captureFolder, folder).trim();
  if (isAbsolute(wanted)) return vscode.Uri.file(wanted);
  const own = vscode.Uri.joinPath(context.globalStorageUri, "captures");
  if (folder === undefined) return own;
  const uri =
    wanted === ""
      ? vscode.Uri.joinPath(own, nameOf(folder))
      : vscode.Uri.joinPath(folder.uri, ...wanted.split(/[\\/]+/));
  return uri.scheme === "file" || uri.scheme === "vscode-remote" ? uri : undefined;
}

/** Two projects may be called alike. */
function nameOf({ uri }: vscode.WorkspaceFolder): string {
  const name = fileName(uri)
    .replace(/[^\p{L}\p{N}._-]+/gu, "_")
    .slice(0, 60);
  return `${name}-${createHash("sha256").update(uri.toString()).digest("hex").slice(0, 8)}`;
}

/** All folders captures are listed from, each once. */
export function captureFolders(context: vscode.ExtensionContext): vscode.Uri[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const former = folders
    .filter((folder) => setting(SETTINGS.captureFolder, folder).trim() === "")
    .map(({ uri }) => vscode.Uri.joinPath(uri, FORMER_FOLDER));
  const all = [
    ...folders.map((folder) => captureFolderOf(folder, context)),
    ...former,
    captureFolderOf(undefined, context),
  ];
  const byText = new Map(all.filter((uri) => uri !== undefined).map((uri) => [uri.toString(), uri]));
  return [...byText.values()];
}

/** The folder of the workspace that is worked in: that of the text in front, else the first. */
export function activeFolder(): vscode.WorkspaceFolder | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  return (
    (active === undefined ? undefined : vscode.workspace.getWorkspaceFolder(active)) ??
    vscode.workspace.workspaceFolders?.[0]
  );
}

/** The folder of the workspace that a capture is kept for, else the one that it is in, else the first. */
export function folderOfCapture(
  capture: vscode.Uri,
  context: vscode.ExtensionContext,
): vscode.WorkspaceFolder | undefined {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const keeps = (folder: vscode.WorkspaceFolder) => {
    const kept = captureFolderOf(folder, context);
    return kept !== undefined && capture.toString().startsWith(`${kept.toString()}/`);
  };
  return folders.find(keeps) ?? vscode.workspace.getWorkspaceFolder(capture) ?? folders[0];
}

/** Where a new capture goes, made if it is not there; absolute path. */
export async function folderForCapture(context: vscode.ExtensionContext): Promise<string> {
  const folder = activeFolder();
  const onDisk = folder?.uri.scheme === "file" ? captureFolderOf(folder, context) : undefined;
  const uri = onDisk ?? vscode.Uri.joinPath(context.globalStorageUri, "captures");
  await vscode.workspace.fs.createDirectory(uri);
  const isShared = setting(SETTINGS.captureShare, folder);
  if (folder !== undefined && isBelow(uri.fsPath, folder.uri.fsPath) && !isShared) await keepOutOfGit(uri.fsPath);
  return uri.fsPath;
}

function isBelow(path: string, folder: string): boolean {
  const rest = relative(folder, path);
  return rest !== "" && !rest.startsWith("..") && !isAbsolute(rest);
}
