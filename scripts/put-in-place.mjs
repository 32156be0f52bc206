// Files that programs of other runs may have open, or read at any moment.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Leaves a file of the same content alone, and replaces another one in one move: a program goes on that runs from it.
 * @param {string} place
 * @param {Uint8Array | string} content
 * @param {{mode?: number}} [options]
 * @returns {boolean} false when it was there already: capabilities given to it with setcap stay
 */
export function putInPlace(place, content, options = {}) {
  if (existsSync(place) && readFileSync(place).equals(Buffer.from(content))) return false;
  mkdirSync(dirname(place), { recursive: true });
  const fresh = `${place}.${process.pid}`;
  try {
    writeFileSync(fresh, content, options);
    renameSync(fresh, place);
  } finally {
    rmSync(fresh, { force: true });
  }
  return true;
}
