// What exists of a path.
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** @param {string} path   which need not exist yet @returns {string} it, or the nearest folder above it that exists */
export function nearestThere(path) {
  return existsSync(path) || dirname(path) === path ? path : nearestThere(dirname(path));
}

/** @param {string} path @returns {import("node:fs").Stats | undefined} */
export function statIfThere(path) {
  try {
    return statSync(path);
  } catch {
    return undefined; // it is not there, or this user may not see it
  }
}
