// Errors that a user can fix. Any other exception is a bug of Extrospect.

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
