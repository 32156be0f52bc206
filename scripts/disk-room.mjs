// The room on disks that tests need: without it each of them fails, and none names the reason.
import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { Problem } from "./problem.mjs";

/** The space that running tests take at a time: captures, editors' folders, guests' disks. */
export const ROOM_FOR_TESTS = 4e9;

/**
 * The space that is left below a folder, which need not exist yet.
 * @param {string} folder @returns {number} bytes
 */
export function freeBytes(folder) {
  if (!existsSync(folder) && dirname(folder) !== folder) return freeBytes(dirname(folder));
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * @param {string[]} folders
 * @param {{free?: (folder: string) => number}} [options]
 * @throws {Problem} the first that has too little room
 */
export function ensureRoom(folders, { free = freeBytes } = {}) {
  for (const folder of folders) {
    const bytes = free(folder);
    if (bytes < ROOM_FOR_TESTS)
      throw new Problem(
        "the disk is too full for the tests",
        `${folder} has room for ${gigabytes(bytes)}; they need ${gigabytes(ROOM_FOR_TESTS)}`,
        `df -h ${folder}`,
      );
  }
}

/** @param {number} bytes */
export function gigabytes(bytes) {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
