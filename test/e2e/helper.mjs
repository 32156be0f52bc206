// Runs the helper binary as a user would.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildForgetfulHelper } from "../../scripts/build-helper.mjs";
import { exitAtEndingSignal } from "../../scripts/ending-signals.mjs";
import { FORGETFUL_HELPER } from "../../scripts/project.mjs";
import { IS_SET_UP } from "../../scripts/run-tests.mjs";
import { until } from "../until.mjs";
import { isHeld } from "../vms/held.mjs";

export const HELPER = join(dirname(fileURLToPath(import.meta.url)), "../../dist/helper/linux-x64/extrospect");

/**
 * @typedef {object} Run
 * @property {number | null} code
 * @property {string} stdout
 * @property {string} stderr
 */

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
// The runner ends a file that hangs, and its helpers end with it.
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
exitAtEndingSignal();

/** Commands that only look at the VM of their first argument. */
const LOOKS = new Set(["binaries", "doctor", "events", "heap", "memory", "node", "nodes", "ps", "pstack", "waits"]);

/**
 * A look that meets a VM which something other than its test has stopped is taken again: the helper reports that, truly,
 * and what the test wants to see is not there.
 * @param {(string | number)[]} args
 * @param {Parameters<typeof runOnce>[1]} [options]
 * @returns {Promise<Run>}
 */
export async function runHelper(args, options) {
  const [command, pid] = args;
  for (;;) {
    const run = await runOnce(args, options);
    const isHalted = `${run.stdout}${run.stderr}`.includes(`process ${pid} is halted: a signal has stopped it`);
    if (!isHalted || !LOOKS.has(String(command)) || isHeld(Number(pid))) return run;
    const output = args.indexOf("-o");
    if (output >= 0) rmSync(String(args[output + 1]), { force: true });
  }
}

/**
 * @param {(string | number)[]} args
 * @param {{timeoutMs?: number, program?: string, wrapper?: string[], onStart?: (child: import("node:child_process").ChildProcess) => void, stdout?: "pipe" | "closed"}} [options]
 * @returns {Promise<Run>}
 */
function runOnce(args, { timeoutMs, program = HELPER, wrapper = [], onStart, stdout = "pipe" } = {}) {
  assert.ok(existsSync(program), `${program} is missing: run \`npm run build\``);
  const [command = program, ...argv] = [...wrapper, program, ...args.map(String)];
  return new Promise((resolve, reject) => {
    const child = spawn(command, argv, { stdio: ["ignore", "pipe", "pipe"] });
    const run = { code: /** @type {number | null} */ (null), stdout: "", stderr: "" };
    if (stdout === "closed") child.stdout.destroy();
    else child.stdout.on("data", (chunk) => (run.stdout += chunk));
    child.stderr.on("data", (chunk) => (run.stderr += chunk));
    running.add(child);
    // No limit by default: the time that a helper takes depends on the other load of the machine.
    const tooLong = () => {
      child.kill("SIGKILL");
      reject(new Error(`extrospect ${args.join(" ")} took more than ${timeoutMs} ms\n${run.stderr}`));
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(tooLong, timeoutMs);
    child.once("error", reject);
    child.once("close", (code) => {
      running.delete(child);
      clearTimeout(timer);
      resolve({ ...run, code });
    });
    onStart?.(child);
  });
}

/**
 * Waits for something while a helper runs. It ends with the helper, too, whose exit code and message are then the reason.
 * @param {import("node:child_process").ChildProcess} child
 * @param {string} what
 * @param {() => unknown} check
 */
export async function untilIn(child, what, check) {
  await until(what, () => child.exitCode !== null || child.signalCode !== null || check());
}

/**
 * Options for a helper that pretends not to know; the one that is shipped cannot.
 * @param {string} words `layouts`, `symbols`, `row=27`, with commas between
 * @returns {Promise<{program: string, wrapper: string[]}>}
 */
export async function forgetting(words) {
  if (process.env[IS_SET_UP] === undefined) await buildForgetfulHelper();
  return { program: FORGETFUL_HELPER, wrapper: ["env", `EXTROSPECT_TEST_FORGET=${words}`] };
}

/**
 * @param {(string | number)[]} args
 * @param {Parameters<typeof runHelper>[1]} [options]
 * @returns {Promise<any>} the JSON that the command printed
 */
export async function helperJson(args, options) {
  const run = await runHelper([...args, "--json"], options);
  assert.equal(run.code, 0, `extrospect ${args.join(" ")} failed: ${run.stderr}`);
  return JSON.parse(run.stdout);
}

/**
 * @param {(string | number)[]} args
 * @param {Parameters<typeof runHelper>[1]} [options]
 * @returns {Promise<string>} the text that the command printed
 */
export async function helperText(args, options) {
  const run = await runHelper(args, options);
  assert.equal(run.code, 0, `extrospect ${args.join(" ")} failed: ${run.stderr}`);
  return run.stdout;
}

/**
 * @param {number} pid
 * @param {{seconds: number, hz?: number, file: string, engine?: "auto" | "bpf" | "readv", program?: string, wrapper?: string[], isReplacing?: boolean}} wanted
 * @returns {Promise<any>} the record's JSON
 */
export function record(pid, { seconds, hz = 499, file, engine = "auto", program, wrapper = [], isReplacing = false }) {
  return helperJson(
    ["record", pid, "-d", seconds, "-F", hz, "-o", file, "--engine", engine, ...(isReplacing ? ["--force"] : [])],
    { ...(program && { program }), wrapper },
  );
}

/**
 * The lines on stderr, without the warning that something other than the test has stopped the VM.
 * @param {Run} run
 */
export const messageLines = ({ stderr }) =>
  stderr.split("\n").filter((line) => line !== "" && !/ is halted: a signal has stopped it; /.test(line));

/** One line, with the remedy; no backtrace. @param {Run} run @param {number} code */
export function assertRefused(run, code) {
  assert.equal(run.code, code, `exit code, stderr: ${run.stderr}`);
  const lines = messageLines(run);
  assert.equal(lines.length, 1, `one line on stderr, not: ${run.stderr}`);
  assert.doesNotMatch(run.stderr, /panicked|backtrace|thread '/);
}

/** A temporary folder that goes with the test. @param {import("node:test").TestContext} t */
export function temporaryFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-e2e-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** @param {number} ms */
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The processes that sample for a process. @param {number} pid @returns {number[]} */
export function samplersOf(pid) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((tid) =>
    readFileSync(`/proc/${pid}/task/${tid}/children`, "utf8").trim().split(" "),
  );
  const isSampler = (/** @type {string} */ child) =>
    readFileSync(`/proc/${child}/cmdline`, "utf8").split("\0")[1] === "sampler";
  return children.filter((child) => child !== "" && isSampler(child)).map(Number);
}
