// Folders are made beside their place, under a name with the process that makes them, and then renamed. One that is killed
// leaves its folder: gigabytes, for ever.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Removes those whose process has ended. They are unused: a failure is no error.
 * @param {string} folder   which need not exist
 * @param {RegExp} pattern   of their names, with the process id as its first group
 */
export function removeHalfMade(folder, pattern) {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const [, pid] = pattern.exec(name) ?? [];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch {
      // Another user's, say.
    }
  }
}

/** `NAME.building-PID` */
export const BUILDING = /\.building-(\d+)$/;
