// How progress looks: one line per step, with its result and duration.

const isTerminal = Boolean(process.stdout.isTTY);
const NAME_WIDTH = 17;

/** @param {string} text */
export function heading(text) {
  process.stdout.write(`\n${isTerminal ? `\x1b[1m${text}\x1b[0m` : text}\n`);
}

/** @param {string} text  one or more lines */
export function paragraph(text) {
  for (const line of text.trimEnd().split("\n")) process.stdout.write(line ? `  ${line}\n` : "\n");
}

/**
 * @param {string} name
 * @param {(progress: (text: string) => void) => Promise<{outcome: string, value?: any}> | {outcome: string, value?: any}} job
 *   `progress` shows the text in place of the one before, on a terminal
 * @returns {Promise<any>} the job's `value`
 */
export async function step(name, job) {
  const startedMs = performance.now();
  const progress = (/** @type {string} */ text) => overwrite(stepLine(name, text, null));
  progress("...");
  try {
    const { outcome, value } = await job(progress);
    finish(stepLine(name, outcome, performance.now() - startedMs));
    return value;
  } catch (error) {
    finish(stepLine(name, "failed", performance.now() - startedMs));
    throw error;
  }
}

/**
 * @param {string} name
 * @param {string} outcome
 * @param {number | null} tookMs   null while it runs
 */
export function stepLine(name, outcome, tookMs) {
  const took = tookMs === null ? "" : `${(tookMs / 1000).toFixed(1)} s`;
  return `  ${name.padEnd(NAME_WIDTH)} ${took.padStart(7)}  ${outcome}`;
}

/** Shows a line that the next one replaces; nothing when no terminal is there. @param {string} line */
export function overwrite(line) {
  if (isTerminal) process.stdout.write(`\r\x1b[2K${line.slice(0, (process.stdout.columns || 80) - 1)}`);
}

/** @param {string} line */
function finish(line) {
  process.stdout.write(`${isTerminal ? "\r\x1b[2K" : ""}${line}\n`);
}

/**
 * A progress line that comes from another program: replaced on a terminal, else a line each.
 * @param {string} text
 */
export function relayProgress(text) {
  if (isTerminal) overwrite(`  ${text}`);
  else process.stdout.write(`  ${text.replace(/, Ctrl-C to end$/, "")}\n`);
}

/** Takes the replaceable line away. */
export function clearProgress() {
  overwrite("");
}

/**
 * Breaks a long line at its clauses when it does not fit the terminal.
 * @param {string} line
 * @param {number} [columns]
 */
export function wrapClauses(line, columns = isTerminal ? (process.stdout.columns || 80) - 3 : Infinity) {
  const lines = [""];
  for (const clause of line.split(/(?<=;) /)) {
    const last = lines[lines.length - 1] ?? "";
    if (last && last.length + 1 + clause.length > columns) lines.push(`         ${clause}`);
    else lines[lines.length - 1] = last ? `${last} ${clause}` : clause;
  }
  return lines.join("\n");
}
