// Runs a command in a terminal of its own.
import { spawn } from "node:child_process";

/**
 * @param {string} command   for a shell
 * @param {string} [term]   the type of the terminal
 */
export function inTerminal(command, term = "xterm") {
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, SHELL: "/bin/sh", TERM: term },
  });
  // It may have ended when a key is pressed.
  child.stdin.on("error", () => {});
  const shown = { text: "" };
  child.stdout.on("data", (chunk) => (shown.text += chunk));
  /** @type {Promise<number | null>} the exit code of the command */
  const ended = new Promise((resolve) => child.once("close", resolve));
  let isGone = false;
  void ended.then(() => (isGone = true));
  return {
    press: (/** @type {string} */ keys) => child.stdin.write(keys),
    text: () => shown.text,
    /** All pictures of the whole screen. */
    pictures: () => shown.text.split("\u001b[H").filter((picture) => picture.includes("\u001b[J")),
    ended,
    hasEnded: () => isGone,
    kill: () => child.kill("SIGKILL"),
  };
}
