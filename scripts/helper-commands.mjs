// The helper's commands as `npm start` uses them.
import { run } from "./command.mjs";
import { Problem } from "./problem.mjs";
import { HELPER, HELPER_FILE, ROOT } from "./project.mjs";
import { clearProgress, relayProgress } from "./steps.mjs";

const NOT_PERMITTED = 4;
const CLEAR_LINE = "\x1b[2K";

/**
 * @param {{pid: number, seconds: number, frequencyHz: number, file: string, signal: AbortSignal}} wanted
 * @returns {Promise<string>} the helper's output
 */
export async function record({ pid, seconds, frequencyHz, file, signal }) {
  const args = ["record", String(pid), "-d", String(seconds), "-F", String(frequencyHz), "-o", file];
  const relay = progressReader(relayProgress);
  try {
    return await helper(args, signal, { env: { ...process.env, EXTROSPECT_PROGRESS: "1" }, onStderr: relay });
  } finally {
    clearProgress();
  }
}

/**
 * @param {string} file
 * @param {string} own     the folder of the user's own code
 * @param {number} rows
 * @param {AbortSignal} signal
 */
export async function top(file, own, rows, signal) {
  return withoutQuality(await helper(["top", file, "--own", own, "-n", String(rows)], signal));
}

/**
 * @param {string} native
 * @param {string} file
 * @param {number} rows
 * @param {AbortSignal} signal
 */
export async function blame(native, file, rows, signal) {
  return withoutQuality(await helper(["blame", native, file, "-n", String(rows)], signal));
}

/** @param {string} output */
export function quality(output) {
  return output.split("\n").find((line) => line.startsWith("quality:")) ?? "quality: not reported";
}

/** @param {string} output */
export function withoutQuality(output) {
  return output
    .split("\n")
    .filter((line) => !line.startsWith("quality:"))
    .join("\n");
}

/**
 * Takes the helper's stderr apart: each text that replaces the line before is a progress.
 * @param {(text: string) => void} onProgress
 * @returns {(chunk: string) => void}
 */
export function progressReader(onProgress) {
  return (chunk) => {
    for (const part of chunk.split(`\r${CLEAR_LINE}`)) {
      const text = part.trim();
      if (/^sampling \d/i.test(text)) onProgress(text);
    }
  };
}

/**
 * @param {string[]} args
 * @param {AbortSignal} signal
 * @param {import("./command.mjs").CommandOptions} [options]
 */
async function helper(args, signal, options = {}) {
  const { code, stdout, stderr } = await run(HELPER, args, { cwd: ROOT, signal, ...options });
  if (code === 0) return stdout;
  const printed = stderr
    .slice(stderr.lastIndexOf(CLEAR_LINE) + 1)
    .replace("[2K", "")
    .trim();
  throw new Problem(
    `extrospect ${args[0]} failed`,
    printed || `exit code ${code}`,
    code === NOT_PERMITTED ? "run it as root: sudo npm start" : `${HELPER_FILE} ${args.join(" ")}`,
  );
}
