// The rights that tests need on this machine: without them each fails in its own way, and none names the reason.
import { spawnSync } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { nearestThere, statIfThere } from "./nearest-there.mjs";
import { Problem } from "./problem.mjs";
import { shellWord } from "./shell-word.mjs";

/**
 * @param {string[]} folders   which need not exist yet
 * @param {{isWritable?: (folder: string) => boolean}} [options]
 * @throws {Problem} for the first that this user cannot write to
 */
export function ensureWritable(folders, { isWritable = mayWrite } = {}) {
  for (const folder of folders) {
    const there = nearestThere(folder);
    if (statIfThere(there)?.isDirectory() === false)
      throw new Problem(
        "a file is where the tests need a folder",
        `${there} is no folder`,
        `mv ${shellWord(there)} ${shellWord(`${there}.old`)}   or another HOME and TMPDIR`,
      );
    if (!isWritable(there))
      throw new Problem(
        "this user may not write where the tests have to",
        `${there} is read-only for user ${process.getuid?.() ?? "?"}`,
        "clone the repository as the user who runs the tests, with a HOME and a TMPDIR of their own",
      );
  }
}

/** Where a run builds and notes, in the clone. One of root leaves them to root. */
const BUILT = ["dist", ".cache"];

/**
 * @param {string} root   of the clone
 * @param {Parameters<typeof ensureWritable>[1]} [options]
 * @throws {Problem} where this user cannot write to it, or to what an earlier run has built in it
 */
export const ensureOwnClone = (root, options) =>
  ensureWritable([root, ...BUILT.map((name) => join(root, name))], options);

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

/**
 * Tests and compilers make their files in it, programs among them, and none makes the folder.
 * @param {string} [folder]
 * @param {{isWritable?: (folder: string) => boolean, mayRun?: (folder: string) => boolean}} [options]
 * @throws {Problem} where that is not possible
 */
export function ensureTemporaryFolder(folder = tmpdir(), { isWritable = mayWrite, mayRun = runsPrograms } = {}) {
  const name = ["TMPDIR", "TMP", "TEMP"].find((one) => process.env[one]) ?? "TMPDIR";
  const other = `npm test with another folder: ${name}=/var/tmp npm test`;
  const refuse = (/** @type {string} */ why, /** @type {string} */ fix) => {
    throw new Problem("no temporary files can be made", why, fix);
  };
  // Programs that run elsewhere would look for it there.
  if (!isAbsolute(folder)) refuse(`${name} is ${folder}, which is no absolute path`, other);
  const found = statIfThere(folder);
  if (found === undefined)
    refuse(`${name} is ${folder}, which does not exist`, `mkdir -p ${shellWord(folder)}   or ${other}`);
  else if (!found.isDirectory()) refuse(`${name} is ${folder}, which is no folder`, other);
  else if (!isWritable(folder))
    refuse(`${name} is ${folder}, which user ${process.getuid?.() ?? "?"} may not write`, other);
  else if (!mayRun(folder)) refuse(`${name} is ${folder}, where no program can be run: it is mounted noexec`, other);
}

/**
 * Node takes them for each test file: some leave out tests, some end them.
 * @param {string} [options]   of Node, from the environment
 * @throws {Problem} where they have some of the test runner
 */
export function ensureNoTestOptions(options = process.env["NODE_OPTIONS"] ?? "") {
  const found = options.match(/(?<=^|\s)--test\b\S*/g);
  if (found === null) return;
  throw new Problem(
    "NODE_OPTIONS changes what tests run",
    `it has ${found.join(" ")}, which Node takes for each test file`,
    "unset NODE_OPTIONS",
  );
}

/** @param {string} folder */
function runsPrograms(folder) {
  /** @type {string | undefined} */
  let own;
  try {
    own = mkdtempSync(join(folder, `extrospect-${process.pid}-`));
    const program = join(own, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    const { error } = spawnSync(program);
    return /** @type {NodeJS.ErrnoException | undefined} */ (error)?.code !== "EACCES";
  } catch {
    // What a killed run has left may fill the disk: it is removed before the room is judged.
    return true;
  } finally {
    if (own !== undefined) rmSync(own, { recursive: true, force: true });
  }
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
