// The demo shop as a stock Erlang VM. As a program: runs it until Ctrl-C and prints its pid.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { findProgram, lastLines, run } from "./command.mjs";
import { exitCodeOf, explain, Problem } from "./problem.mjs";
import { ROOT } from "./project.mjs";

const SOURCES = "demo/src";
const COMPILED = "dist/demo/ebin";
const STOP_PATIENCE_MS = 5_000;
const START_PATIENCE_MS = 30_000;

// Ends when its input ends, so it never outlives this process, whatever becomes of that.
const BOOT = `
{ok, _} = application:ensure_all_started(demo),
spawn(fun() -> _ = io:get_line(""), init:stop() end),
io:format("ready ~s~n", [os:getpid()]).
`.replaceAll("\n", " ");

/**
 * @typedef {object} Demo
 * @property {number} pid
 * @property {() => Promise<void>} stop   orderly; the VM is gone afterwards
 * @property {Promise<void>} ended
 */

/**
 * Compiles the demo when its sources or the compiler changed.
 * @returns {Promise<string>} what was done
 */
export async function compileDemo() {
  const erlc = findProgram("erlc");
  if (erlc === null) throw new Problem("erlc is missing", "the demo is an Erlang program", "sudo apt-get install erlang-base");
  const names = readdirSync(join(ROOT, SOURCES)).sort();
  const compiler = realpathSync(erlc);
  const hash = createHash("sha256").update(`${compiler} ${statSync(compiler).mtimeMs}`);
  for (const name of names) hash.update(name).update(readFileSync(join(ROOT, SOURCES, name)));
  const wanted = hash.digest("hex");
  const folder = join(ROOT, COMPILED);
  const stamp = join(folder, "../compiled");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return "ready";
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const modules = names.filter((name) => name.endsWith(".erl")).map((name) => `${SOURCES}/${name}`);
  // Started in ROOT: the VM's line tables then name the files as seen from here.
  const { code, stdout, stderr } = await run(erlc, ["+debug_info", "-o", COMPILED, ...modules], { cwd: ROOT });
  if (code !== 0) throw new Problem("the demo does not compile", lastLines(stdout + stderr), "check which OTP `erl` starts: 25 or 27");
  copyFileSync(join(ROOT, SOURCES, "demo.app.src"), join(folder, "demo.app"));
  writeFileSync(stamp, wanted);
  return "compiled";
}

/**
 * Starts the demo, compiled if need be, and waits until it serves its customers.
 * @returns {Promise<Demo>}
 */
export async function startDemo() {
  await compileDemo();
  const erl = findProgram("erl");
  if (erl === null) throw new Problem("erl is missing", "the demo is an Erlang program", "sudo apt-get install erlang-base");
  const { ERL_FLAGS: _flags, ERL_AFLAGS: _before, ERL_ZFLAGS: _after, ...env } = process.env; // a stock VM
  const child = spawn(erl, ["-noshell", "-pa", join(ROOT, COMPILED), "-eval", BOOT], {
    cwd: ROOT,
    env,
    stdio: ["pipe", "pipe", "pipe"],
    detached: true, // Ctrl-C is ours to handle: the VM goes last
  });
  let printed = "";
  const keep = (/** @type {string} */ text) => void (printed = (printed + text).slice(-4_000));
  child.stderr.setEncoding("utf8").on("data", keep);
  child.stdin.on("error", () => {}); // it may be gone before it is told to
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    child.once("close", () => resolve());
    child.once("error", (error) => {
      keep(error.message);
      resolve();
    });
  });
  const stop = async () => {
    child.stdin.end();
    const patience = setTimeout(() => child.kill("SIGKILL"), STOP_PATIENCE_MS);
    await ended;
    clearTimeout(patience);
  };
  const pid = await new Promise((resolve) => {
    const patience = setTimeout(() => resolve(null), START_PATIENCE_MS);
    createInterface({ input: child.stdout }).on("line", (line) => {
      const ready = /^ready (\d+)$/.exec(line)?.[1];
      if (ready === undefined) return keep(`${line}\n`);
      clearTimeout(patience);
      resolve(Number(ready));
    });
    void ended.then(() => resolve(null));
  });
  if (pid === null) {
    await stop();
    throw new Problem("the demo VM does not start", lastLines(printed, 6), "node scripts/demo-vm.mjs");
  }
  return { pid, stop, ended };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const demo = await startDemo();
    console.log(`demo VM: pid ${demo.pid}, Ctrl-C stops it`);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => void demo.stop());
    await demo.ended;
  } catch (error) {
    console.error(explain(error));
    process.exitCode = exitCodeOf(error);
  }
}
