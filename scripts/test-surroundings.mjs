// The rights that tests need on this machine: without them each fails in its own way, and none names the reason.
import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { Problem } from "./problem.mjs";

/**
 * @param {string[]} folders   which need not exist yet
 * @param {{isWritable?: (folder: string) => boolean}} [options]
 * @throws {Problem} for the first that this user cannot write to
 */
export function ensureWritable(folders, { isWritable = mayWrite } = {}) {
  for (const folder of folders)
    if (!isWritable(nearestThere(folder)))
      throw new Problem(
        "this user may not write where the tests have to",
        `${nearestThere(folder)} is read-only for user ${process.getuid?.() ?? "?"}`,
        "clone the repository as the user who runs the tests, with a HOME and a TMPDIR of their own",
      );
}

/**
 * @param {{needs: string[], needsRoot: boolean}[]} groups   the chosen ones: their preparations, and whether their tests are root's
 * @param {{uid?: number | undefined}} [options]
 * @throws {Problem} when they need root, and this is another user
 */
export function ensureRoot(groups, { uid = process.getuid?.() } = {}) {
  if (uid === 0 || !groups.some(({ needs, needsRoot }) => needsRoot || needs.includes("otp"))) return;
  throw new Problem(
    "these tests need root",
    "VMs of other releases and other hosts run in namespaces of their own",
    "sudo npm test   or without root: npm test -- --quick",
  );
}

/** @param {string} folder @returns {string} */
function nearestThere(folder) {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestThere(dirname(folder));
}

/** @param {string} folder */
function mayWrite(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
