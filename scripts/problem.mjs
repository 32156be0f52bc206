// Errors a user can do something about. Anything else that is thrown is a mistake of ours.

export class Problem extends Error {
  /**
   * @param {string} what   what went wrong
   * @param {string} why    the reason, as far as known
   * @param {string} fix    the command or deed that mends it
   */
  constructor(what, why, fix) {
    super(what);
    this.why = why;
    this.fix = fix;
  }
}

/** Ctrl-C, or the terminal went away. */
export class Interrupted extends Error {
  constructor() {
    super("interrupted");
  }
}

/**
 * What is printed for an error: no stack trace unless the mistake is ours.
 * @param {unknown} error
 * @returns {string}
 */
export function explain(error) {
  if (error instanceof Interrupted) return "\nStopped.";
  if (error instanceof Problem) {
    const lines = [`\nerror: ${error.message}`];
    if (error.why) lines.push(`  why: ${indentRest(error.why)}`);
    if (error.fix) lines.push(`  fix: ${indentRest(error.fix)}`);
    return lines.join("\n");
  }
  return `\nunexpected error, please report it: ${error instanceof Error ? error.stack : String(error)}`;
}

/** @param {string} text */
function indentRest(text) {
  return text.trimEnd().split("\n").join("\n       ");
}

/** @param {unknown} error */
export const exitCodeOf = (error) => (error instanceof Interrupted ? 130 : 1);
