// Capture files in a folder of this machine. There may be thousands: they are asked for without the editor's detours. No vscode in here.

import { readdir, stat } from "node:fs/promises";
import { CAPTURE_ENDING } from "./capture-file.js";
import type { FileState } from "./capture-index.js";
import { MOST_FILES } from "./capture-limits.js";

/** Names of the newest captures. @throws when the folder cannot be listed */
export async function captureNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return newest(entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name));
}

/** Names end with day and time, so the last ones are the newest. */
export function newest(names: readonly string[]): string[] {
  return names
    .filter((name) => name.endsWith(CAPTURE_ENDING))
    .sort()
    .slice(-MOST_FILES);
}

/** @throws when there is no such file */
export async function fileState(path: string): Promise<FileState> {
  const { mtimeMs, size } = await stat(path);
  return { mtime: Math.floor(mtimeMs), size };
}
