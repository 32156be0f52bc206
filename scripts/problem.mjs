// Errors that a user can fix. Any other exception is a bug of Extrospect.
import { dirname } from "node:path";
import { nearestThere } from "./nearest-there.mjs";
import { shellWord } from "./shell-word.mjs";

export class Problem extends Error {
  /**
   * @param {string} what   the failure
   * @param {string} why    the reason, as far as known
   * @param {string} fix    the command or action that fixes it
   */
  constructor(what, why, fix) {
    super(what);
    this.why = why;
    this.fix = fix;
  }
}

/** Ctrl-C, or the terminal was closed. */
export class Interrupted extends Error {
  constructor() {
    super("interrupted");
  }
}

/**
 * The text that is printed for an error: no stack trace unless it is a bug of Extrospect.
 * @param {unknown} error
 * @returns {string}
 */
export function explain(error) {
  if (error instanceof Interrupted) return "\nStopped.";
  const problem = error instanceof Problem ? error : (diskProblem(error) ?? packageProblem(error));
  if (problem !== undefined) {
    const lines = [`\nerror: ${problem.message}`];
    if (problem.why) lines.push(`  why: ${indentRest(problem.why)}`);
    if (problem.fix) lines.push(`  fix: ${indentRest(problem.fix)}`);
    return lines.join("\n");
  }
  return `\nunexpected error, please report it: ${error instanceof Error ? error.stack : String(error)}`;
}

/**
 * Any write may meet a full disk, and any temporary file a folder that is not there.
 * @param {unknown} error
 * @returns {Problem | undefined}
 */
export function diskProblem(error) {
  if (!(error instanceof Error)) return undefined;
  const { code, path, syscall } = /** @type {NodeJS.ErrnoException} */ (error);
  const where = path === undefined ? "" : ` ${shellWord(nearestThere(dirname(path)))}`;
  // A watch of files has other limits under the same name.
  if (code === "ENOSPC" && syscall !== "watch")
    return new Problem(
      "the disk is full",
      error.message,
      `df -h${where}; df -i${where}   then remove what is not needed`,
    );
  if (code === "EDQUOT")
    return new Problem(
      "this user may not store more on the disk",
      error.message,
      "quota   then remove what is not needed",
    );
  if (code === "EROFS") return new Problem("the disk is read-only", error.message, `findmnt --target${where || " ."}`);
  if (syscall === "mkdtemp" && path !== undefined && ["ENOENT", "ENOTDIR", "EACCES", "EPERM"].includes(code ?? ""))
    return new Problem(
      "no temporary files can be made",
      error.message,
      `mkdir -p ${shellWord(dirname(path))}   or, with another folder: export TMPDIR=/var/tmp`,
    );
  return undefined;
}

/**
 * npm lists a package as installed though files of it are missing.
 * @param {unknown} error
 * @returns {Problem | undefined}
 */
function packageProblem(error) {
  const { code, message } = error instanceof Error ? /** @type {NodeJS.ErrnoException} */ (error) : {};
  const isMissing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
  if (!isMissing || !/Cannot find (package|module '[^./])|node_modules/.test(message ?? "")) return undefined;
  return new Problem("an npm package is not installed as a whole", (message ?? "").split("\n", 1).join(), "npm ci");
}

/** @param {string} text */
function indentRest(text) {
  return text.trimEnd().split("\n").join("\n       ");
}

/** @param {unknown} error */
export const exitCodeOf = (error) => (error instanceof Interrupted ? 130 : 1);
