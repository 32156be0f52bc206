// Runs other programs. They end with this process, however that ends.
import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { delimiter, resolve as absolute } from "node:path";
import { boundToThis, boundWithChildren } from "./bound-process.mjs";
import { programIn } from "./find-program.mjs";
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
 * @property {boolean} [withChildren]        the programs that it starts end with it, too: compilers, which would go on for minutes
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
export function run(command, args, options = {}) {
  const { cwd, env, signal, withChildren = false, nice = 0, onStart, longestMs, onStdout, onStderr } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new Interrupted());
      return;
    }
    const [program = command, ...words] = [...bindingOf(command, options), command, ...args];
    const child = spawn(program, words, {
      cwd,
      env: env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: withChildren, // a process group, so that all of it ends
    });
    const kill = () => {
      if (!withChildren || child.pid === undefined) return void child.kill("SIGKILL");
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // Gone already.
      }
    };
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
        later(PATIENCE_MS, kill);
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
      child.kill(withChildren ? "SIGTERM" : "SIGINT");
      later(PATIENCE_MS, () => (kill(), letOutputGo()));
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
      else resolve({ ...result, code: code ?? 128 + (endedBy === null ? 0 : constants.signals[endedBy]) });
    });
  });
}

/**
 * What binds the program to this process: nothing where there is no such program, so that its start is what fails.
 * @param {string} command
 * @param {CommandOptions} options
 */
function bindingOf(command, { cwd = ".", env = process.env, withChildren }) {
  const folders = command.includes("/") ? [absolute(cwd)] : (env["PATH"] ?? "").split(delimiter);
  if (programIn(folders, command) === null) return [];
  // Apt and npm end at it as they would at `kill`.
  return withChildren ? boundWithChildren() : boundToThis("TERM");
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
 * The last lines of a program's output: where its error is.
 * @param {string} text
 * @param {number} [count]
 */
export function lastLines(text, count = 12) {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}
