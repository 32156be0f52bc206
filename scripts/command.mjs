// Runs other programs.
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { homedir, setPriority } from "node:os";
import { delimiter, join } from "node:path";
import { Interrupted, Problem } from "./problem.mjs";

/**
 * @typedef {object} CommandResult
 * @property {number} code      128 + n when signal n ended it
 * @property {string} stdout
 * @property {string} stderr
 * @property {boolean} endedByUs   it ran longer than it may
 *
 * @typedef {object} CommandOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]       in full; this process's own when absent
 * @property {AbortSignal} [signal]          ends the program as Ctrl-C would, and kills it when it goes on
 * @property {number} [nice]                 priority of the program and its children: 19 lets all others have the processors first
 * @property {(pid: number) => void} [onStart]
 * @property {number} [longestMs]            a program that runs longer is ended, and so is one whose output stays open after its end
 * @property {(chunk: string) => void} [onStdout]
 * @property {(chunk: string) => void} [onStderr]
 */

/** How long a program may take to end after the request to end. */
const PATIENCE_MS = 10_000;

/**
 * @param {string} command
 * @param {string[]} args
 * @param {CommandOptions} [options]
 * @returns {Promise<CommandResult>} whatever the exit code
 */
export function run(command, args, { cwd, env, signal, nice = 0, onStart, longestMs, onStdout, onStderr } = {}) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new Interrupted());
      return;
    }
    const child = spawn(command, args, { cwd, env: env ?? process.env, stdio: ["ignore", "pipe", "pipe"] });
    if (nice !== 0) setNice(child.pid, nice);
    if (child.pid !== undefined) onStart?.(child.pid);
    const result = { code: 0, stdout: "", stderr: "", endedByUs: false };
    /** @type {NodeJS.Timeout[]} */
    const timers = [];
    const later = (/** @type {number} */ ms, /** @type {() => void} */ act) => void timers.push(setTimeout(act, ms));
    // A process that it started may keep its output open.
    const letOutputGo = () => [child.stdout, child.stderr].forEach((stream) => stream.destroy());
    if (longestMs !== undefined) {
      later(longestMs, () => {
        result.endedByUs = true;
        child.kill("SIGTERM");
        later(PATIENCE_MS, () => child.kill("SIGKILL"));
      });
      child.once("exit", () => later(PATIENCE_MS, letOutputGo));
    }
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      result.stdout += chunk;
      onStdout?.(chunk);
    });
    child.stderr.setEncoding("utf8").on("data", (chunk) => {
      result.stderr += chunk;
      onStderr?.(chunk);
    });
    const interrupt = () => {
      if (child.pid === undefined) return;
      child.kill("SIGINT");
      later(PATIENCE_MS, () => (child.kill("SIGKILL"), letOutputGo()));
    };
    signal?.addEventListener("abort", interrupt);
    child.once("error", (error) => {
      signal?.removeEventListener("abort", interrupt);
      reject(new Problem(`${command} does not start`, error.message, `check that ${command} is installed`));
    });
    child.once("close", (code, endedBy) => {
      timers.forEach(clearTimeout);
      signal?.removeEventListener("abort", interrupt);
      if (signal?.aborted) reject(new Interrupted());
      else resolve({ ...result, code: code ?? (endedBy === "SIGINT" ? 130 : 128) });
    });
  });
}

/**
 * Its child processes inherit that.
 * @param {number | undefined} pid   none when it did not start, which is reported elsewhere
 * @param {number} nice
 */
function setNice(pid, nice) {
  if (pid === undefined) return;
  try {
    setPriority(pid, nice);
  } catch {
    // It has ended already, or this machine does not allow it: then it is just as any other program.
  }
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {CommandOptions & {help: string}} options   `help`: what the user may do when it fails
 * @returns {Promise<string>} its output
 * @throws {Problem} with its last lines when it fails
 */
export async function outputOf(command, args, { help, ...options }) {
  const { code, stdout, stderr } = await run(command, args, options);
  if (code === 0) return stdout;
  throw new Problem(`${command} ${args.at(-1) ?? ""} failed`, lastLines(stderr.trim() || stdout, 8), help);
}

/**
 * @param {string} name
 * @param {string} [path]  list of folders as in $PATH
 * @returns {string | null} the program's full path
 */
export function findProgram(name, path = process.env.PATH ?? "") {
  // rustup puts cargo where only a new login shell looks.
  for (const folder of [...path.split(delimiter), join(homedir(), ".cargo/bin")]) {
    if (!folder) continue;
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // not here
    }
  }
  return null;
}

/**
 * The last lines of a program's output: where its error is.
 * @param {string} text
 * @param {number} [count]
 */
export function lastLines(text, count = 12) {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}
