// Folders are made beside their place, under a name with the process that makes them, and then renamed. One that is killed
// leaves its folder: gigabytes, for ever.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
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
    removeWithMounts(join(folder, name));
  }
}

/**
 * Removes a folder, and nothing that is mounted below it: a killed test may leave parts of the machine there.
 * @param {string} folder
 */
export function removeWithMounts(folder) {
  for (const mount of mountsBelow(folder).reverse()) spawnSync("umount", ["-l", mount]);
  if (mountsBelow(folder).length > 0) return;
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // Another user's, say, or a process still writes there.
  }
}

/** In the order in which they were mounted. @param {string} folder @returns {string[]} */
function mountsBelow(folder) {
  if (!existsSync("/proc/self/mounts")) return [];
  return readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => unescaped(line.split(" ")[1] ?? ""))
    .filter((mount) => mount.startsWith(`${folder}/`));
}

/** A path as `/proc/mounts` has it. @param {string} path */
export const unescaped = (path) => path.replaceAll(/\\(\d{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8)));

/** `NAME.building-PID` */
export const BUILDING = /\.building-(\d+)$/;
