// A demo shop as a stock VM. As a program: runs it until Ctrl-C and prints its pid; with `--elixir` the one in Elixir, with `--mixed` both in one VM.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { lastLines } from "./command.mjs";
import { ELIXIR_DEMO, ERLANG_DEMO, MIXED_DEMO } from "./demo-programs.mjs";
import { onEndingSignal } from "./ending-signals.mjs";
import { PATIENCE_MS } from "./patience.mjs";
import { exitCodeOf, explain, Problem } from "./problem.mjs";

const STOP_PATIENCE_MS = 5_000;

/**
 * @typedef {object} Demo
 * @property {number} pid
 * @property {() => Promise<void>} stop   orderly; the VM is gone afterwards
 * @property {Promise<void>} ended
 */

/**
 * Starts a demo, compiled if need be, and waits until it serves its customers.
 * @param {import("./demo-programs.mjs").RunnableDemo} [program]
 * @returns {Promise<Demo>}
 */
export async function startDemo(program = ERLANG_DEMO) {
  await program.compile();
  const { command, args, cwd } = program.command();
  const { ERL_FLAGS: _flags, ERL_AFLAGS: _before, ERL_ZFLAGS: _after, ...env } = process.env; // a stock VM
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
    detached: true, // Ctrl-C is ours to handle: the VM goes last
  });
  let printed = "";
  const keep = (/** @type {string} */ text) => void (printed = (printed + text).slice(-4_000));
  child.stderr.setEncoding("utf8").on("data", keep);
  child.stdin.on("error", () => {}); // it may have ended before its input does
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
    const patience = setTimeout(() => resolve(null), PATIENCE_MS);
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
    const demo = await startDemo(
      process.argv.includes("--mixed") ? MIXED_DEMO : process.argv.includes("--elixir") ? ELIXIR_DEMO : ERLANG_DEMO,
    );
    console.log(`demo VM: pid ${demo.pid}, Ctrl-C stops it`);
    onEndingSignal(() => void demo.stop());
    await demo.ended;
  } catch (error) {
    console.error(explain(error));
    process.exitCode = exitCodeOf(error);
  }
}
