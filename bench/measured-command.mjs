// Runs a command and reports its cost: CPU seconds of the command and of all processes that it waited for.
import { spawn } from "node:child_process";

/**
 * @param {string[]} argv
 * @param {{keepOutput?: boolean}} [options]
 * @returns {Promise<{cpuSeconds: number, code: number | null, stdout: string, stderr: string}>}
 */
export function runMeasured(argv, { keepOutput = false } = {}) {
  return new Promise((resolve, reject) => {
    // The shell's own `time` goes to file descriptor 3, so that it cannot mix with the command's errors.
    const child = spawn("bash", ["-c", 'TIMEFORMAT="%3U %3S"; { time "$@" 2>&4; } 4>&2 2>&3', "bash", ...argv], {
      stdio: ["ignore", keepOutput ? "pipe" : "ignore", "pipe", "pipe"],
      env: { ...process.env, LC_ALL: "C" },
    });
    const texts = { stdout: "", stderr: "", times: "" };
    child.stdout?.on("data", (chunk) => (texts.stdout += chunk));
    child.stderr?.on("data", (chunk) => (texts.stderr += chunk));
    child.stdio[3]?.on("data", (/** @type {Buffer} */ chunk) => (texts.times += chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      const [user = NaN, system = NaN] = texts.times.trim().split(/\s+/).map(Number);
      resolve({ cpuSeconds: user + system, code, stdout: texts.stdout, stderr: texts.stderr });
    });
  });
}

/** A profiler that fails must not pass for one that costs nothing.
 * @param {string[]} argv @param {{keepOutput?: boolean}} [options] */
export async function mustRun(argv, options) {
  const run = await runMeasured(argv, options);
  if (run.code !== 0)
    throw new Error(`${argv.slice(0, 3).join(" ")} ... failed (${run.code}): ${run.stderr.trim().slice(-500)}`);
  return run;
}
