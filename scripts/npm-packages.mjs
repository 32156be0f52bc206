// The npm packages of this repository: installed when missing or not those of the lock file.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lastLines, run } from "./command.mjs";
import { findProgram } from "./find-program.mjs";
import { Problem } from "./problem.mjs";
import { ROOT } from "./project.mjs";

/**
 * @typedef {{packages?: Record<string, {version?: string, optional?: boolean}>}} LockFile
 */

/**
 * @param {LockFile} lock        package-lock.json
 * @param {LockFile} installed   node_modules/.package-lock.json, which npm writes
 * @returns {boolean} whether each package of the lock file is installed in its version
 */
export function packagesAreCurrent(lock, installed) {
  const wanted = Object.entries(lock.packages ?? {}).filter(([path]) => path !== "");
  const there = installed.packages ?? {};
  const allThere = wanted.every(([path, { version, optional }]) => {
    const found = there[path];
    return found === undefined ? optional === true : found.version === version;
  });
  const known = new Set(wanted.map(([path]) => path));
  return allThere && Object.keys(there).every((path) => known.has(path));
}

/**
 * @param {{signal?: AbortSignal | undefined}} [options]
 * @returns {Promise<string>} a summary of the work
 */
export async function ensureNpmPackages({ signal } = {}) {
  if (areInstalled(ROOT)) return "ready";
  const npm = findProgram("npm");
  if (npm === null) throw new Problem("npm is missing", "it comes with Node.js", "install Node.js 20 with npm");
  const { code, stdout, stderr } = await run(
    npm,
    ["ci", "--no-progress", "--no-audit", "--no-fund", "--prefer-offline"],
    { cwd: ROOT, withChildren: true, ...(signal && { signal }) },
  );
  if (code !== 0) {
    throw new Problem(
      "npm ci failed",
      lastLines(stderr || stdout),
      "check the network or the registry, then try again",
    );
  }
  return "installed";
}

/**
 * @param {string} root   of the project
 * @returns {boolean} whether each package is there as the lock file has it
 * @throws {Problem} the lock file cannot be read
 */
export function areInstalled(root) {
  const lock = readLockFile(join(root, "package-lock.json"));
  if (lock === undefined)
    throw new Problem(
      "package-lock.json cannot be read",
      "it is missing or damaged",
      "git checkout HEAD -- package-lock.json",
    );
  // npm writes it at the end: a killed one leaves none, a full disk half of it.
  const installed = readLockFile(join(root, "node_modules/.package-lock.json"));
  if (installed === undefined || !packagesAreCurrent(lock, installed)) return false;
  return Object.keys(installed.packages ?? {}).every((path) => existsSync(join(root, path, "package.json")));
}

/** @param {string} file @returns {LockFile | undefined} */
function readLockFile(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
