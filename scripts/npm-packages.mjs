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
  const installedList = join(ROOT, "node_modules/.package-lock.json");
  const lock = readJson(join(ROOT, "package-lock.json"));
  if (existsSync(installedList) && packagesAreCurrent(lock, readJson(installedList))) return "ready";
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
 * @param {string} file
 * @returns {LockFile}
 */
function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
