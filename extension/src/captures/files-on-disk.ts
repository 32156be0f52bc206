// Capture files in a folder of this machine. There may be thousands, so they are listed without the editor's detours.
// No vscode in here.

import { readdir, stat } from "node:fs/promises";
import { CAPTURE_ENDING, timeInName } from "./capture-file.js";
import type { FileState } from "./capture-index.js";
import { MOST_FILES } from "./capture-limits.js";

/** Names of the newest captures. @throws when the folder cannot be listed */
export async function captureNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return newest(entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name));
}

/** The files that are listed: those with the latest times in their names, and before them those that the user named. */
export function newest(names: readonly string[], most = MOST_FILES): string[] {
  const captures = names.filter((name) => name.endsWith(CAPTURE_ENDING)).sort();
  if (captures.length <= most) return captures;
  const timed = captures.map((name) => ({ name, at: timeInName(name)?.getTime() ?? Infinity }));
  return timed
    .sort((one, other) => (one.at === other.at ? 0 : other.at > one.at ? 1 : -1))
    .slice(0, most)
    .map(({ name }) => name);
}

/** @throws when there is no such file */
export async function fileState(path: string): Promise<FileState> {
  const { mtimeMs, size } = await stat(path);
  return { mtime: Math.floor(mtimeMs), size };
}
