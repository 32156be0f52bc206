// The capture files of this workspace and the captures that are open from elsewhere.

import { join } from "node:path";
import * as vscode from "vscode";
import { captureFolders } from "./capture-folder.js";
import type { FileState } from "./capture-index.js";
import { captureNames, fileState, newest } from "./files-on-disk.js";
import type { CaptureStore } from "./capture-store.js";

export interface ListedCapture {
  readonly uri: vscode.Uri;
  /** Undefined when it is not on a disk, or not yet. */
  readonly stat: FileState | undefined;
}

/** In no order: when they began is in the files. */
export async function listedCaptures(
  context: vscode.ExtensionContext,
  captures: CaptureStore,
): Promise<ListedCapture[]> {
  const files = (await Promise.all(captureFolders(context).map(captureFilesIn))).flat();
  const byAddress = new Map([...files, ...captures.all.map(({ uri }) => uri)].map((uri) => [uri.toString(), uri]));
  return Promise.all([...byAddress.values()].map(withStat));
}

async function withStat(uri: vscode.Uri): Promise<ListedCapture> {
  try {
    return { uri, stat: await stateOf(uri) };
  } catch {
    // Deleted in the meantime, or not a file: then it is an open capture.
    return { uri, stat: undefined };
  }
}

async function stateOf(uri: vscode.Uri): Promise<FileState> {
  return uri.scheme === "file" ? fileState(uri.fsPath) : vscode.workspace.fs.stat(uri);
}

async function captureFilesIn(folder: vscode.Uri): Promise<vscode.Uri[]> {
  try {
    if (folder.scheme === "file")
      return (await captureNames(folder.fsPath)).map((name) => vscode.Uri.file(join(folder.fsPath, name)));
    const entries = await vscode.workspace.fs.readDirectory(folder);
    const names = entries.filter(([, type]) => (type & vscode.FileType.Directory) === 0).map(([name]) => name);
    return newest(names).map((name) => vscode.Uri.joinPath(folder, name));
  } catch {
    // The folder is made by the first capture.
    return [];
  }
}
