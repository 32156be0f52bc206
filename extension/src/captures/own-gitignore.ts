// Captures are large and of one machine: their folder keeps itself out of the user's repository. No vscode in here.

import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CAPTURE_ENDING } from "./capture-file.js";

const IGNORE_ALL = "# Captures of Extrospect stay out of git. Empty this file to commit them.\n*\n";

/**
 * Gives a folder of captures a `.gitignore` of its own, unless it has one or holds anything else: then it is the user's.
 * A capture is worth more than this, so whatever hinders it is passed over.
 */
export async function keepOutOfGit(folder: string): Promise<void> {
  try {
    const names = await readdir(folder);
    if (!names.every((name) => name.endsWith(CAPTURE_ENDING))) return;
    // Only a new file: one that appeared since the check, or a link to elsewhere, is left alone.
    await writeFile(join(folder, ".gitignore"), IGNORE_ALL, { flag: "wx" });
  } catch {
    // Not writable by this user, or made since the check.
  }
}
