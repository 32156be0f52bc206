import * as vscode from "vscode";
import { decode } from "./source-bytes.js";

const MAX_BYTES = 8_000_000;

/** Text of a file as it is on disk; undefined when it cannot be read or is no source by its size. */
export async function readText(uri: vscode.Uri): Promise<string | undefined> {
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > MAX_BYTES) return undefined;
    return decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return undefined;
  }
}
