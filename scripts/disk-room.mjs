// The room on disks that tests need: without it each of them fails, and none names the reason.
import { statfsSync } from "node:fs";
import { nearestThere } from "./nearest-there.mjs";
import { Problem } from "./problem.mjs";
import { shellWord } from "./shell-word.mjs";

/** The space that running tests take at a time: captures, editors' folders, guests' disks. */
export const ROOM_FOR_TESTS = 4e9;
/** The space for programs of VMs, homes and installed copies, which have folders of their own. */
export const ROOM_FOR_PROGRAMS = 1e9;
/** The files that they make at a time: folders of editors and of VMs, above all. */
export const FILES_FOR_TESTS = 100_000;

/**
 * The space that is left below a folder, which need not exist yet.
 * @param {string} folder @returns {number} bytes
 */
export function freeBytes(folder) {
  const { bavail, bsize } = roomOf(folder);
  return bavail * bsize;
}

/** The files that can still be made there. @param {string} folder @returns {number} infinite where the file system has no such limit */
export function freeFiles(folder) {
  const { files, ffree } = roomOf(folder);
  return files === 0 ? Infinity : ffree;
}

/** @param {string} folder */
function roomOf(folder) {
  const there = nearestThere(folder);
  try {
    return statfsSync(there);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Problem(`the room of the disk with ${there} cannot be read`, why, `df -h ${shellWord(there)}`);
  }
}

/**
 * @param {string[]} folders
 * @param {{needed?: number, free?: (folder: string) => number, files?: (folder: string) => number}} [options]   `needed`: bytes in each
 * @throws {Problem} the first that has too little room
 */
export function ensureRoom(folders, { needed = ROOM_FOR_TESTS, free = freeBytes, files = freeFiles } = {}) {
  for (const folder of folders) {
    const [bytes, count] = [free(folder), files(folder)];
    if (bytes < needed)
      throw new Problem(
        "the disk is too full for the tests",
        `${folder} has room for ${gigabytes(bytes)}; they need ${gigabytes(needed)}`,
        `df -h ${shellWord(nearestThere(folder))}`,
      );
    if (count < FILES_FOR_TESTS)
      throw new Problem(
        "the disk has too many files for the tests",
        `${folder} can take ${count} more; they need ${FILES_FOR_TESTS}`,
        `df -i ${shellWord(nearestThere(folder))}`,
      );
  }
}

/** Below that, programs fail for lack of room, each in its own way. */
const FULL_BELOW = 5e7;

/**
 * @param {string[]} folders
 * @param {{free?: (folder: string) => number}} [options]
 * @returns {string[]} a sentence for each that is full now
 */
export function fullDisks(folders, { free = freeBytes } = {}) {
  return [...new Set(folders)].flatMap((folder) => {
    try {
      const bytes = free(folder);
      if (bytes >= FULL_BELOW) return [];
      return [
        `the disk is full: ${folder} has room for ${gigabytes(bytes)} (df -h ${shellWord(nearestThere(folder))})`,
      ];
    } catch {
      return []; // not known
    }
  });
}

/** @param {number} bytes */
export function gigabytes(bytes) {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
