// Programs that the extension starts: without a window, never taken from a workspace, and ended together with their
// child processes. No vscode in here.

import {
  spawn,
  type ChildProcess,
  type ChildProcessByStdio,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
} from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, extname, isAbsolute, join } from "node:path";
import type { Readable, Writable } from "node:stream";

export interface StartOptions extends Pick<SpawnOptions, "cwd" | "env" | "signal" | "killSignal"> {
  /** {@link endTree} ends it and its child processes. */
  readonly ownsTree?: boolean;
}

/** Its standard error is read. */
export function startProgram(
  program: string,
  args: readonly string[],
  options: StartOptions,
): ChildProcessWithoutNullStreams {
  return asStarted(spawn(foundProgram(program), args, { ...spawnOptions(options), stdio: ["pipe", "pipe", "pipe"] }));
}

/** Its standard error goes nowhere. */
export function startSilentProgram(
  program: string,
  args: readonly string[],
  options: StartOptions,
): ChildProcessByStdio<Writable, Readable, null> {
  return asStarted(spawn(foundProgram(program), args, { ...spawnOptions(options), stdio: ["pipe", "pipe", "ignore"] }));
}

/** Ends a program that was started with `ownsTree`, and its child processes; does nothing to one that has ended. */
export function endTree(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (isWindows()) {
    const killer = spawn(inSystemFolder("taskkill"), ["/pid", String(pid), "/T", "/F"], {
      windowsHide: true,
      stdio: "ignore",
    });
    killer.once("error", () => child.kill("SIGKILL"));
    killer.once("exit", (code) => code !== 0 && child.kill("SIGKILL"));
    return;
  }
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/**
 * A program that could not be started has no process to end. Until Node.js has reported the error, its `kill`, which an
 * aborted signal also calls, reads the process id from memory that was never set: often 0, the whole group of the editor.
 */
function asStarted<T extends ChildProcess>(child: T): T {
  if (child.pid === undefined) child.kill = () => false;
  return child;
}

function spawnOptions({ ownsTree = false, ...options }: StartOptions) {
  // Ending a tree needs a process group of its own, except on Windows: there it would open a console window.
  return { ...options, windowsHide: true, detached: ownsTree && !isWindows() };
}

/** Windows looks for a bare name in the working folder first, which may be a workspace with a `git.exe` in it. */
function foundProgram(program: string): string {
  if (!isWindows() || /[\\/]/.test(program)) return program;
  const name = extname(program) === "" ? `${program}.exe` : program;
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  // Where it is nowhere, starting it fails.
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? inSystemFolder(program);
}

function inSystemFolder(program: string): string {
  return join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", `${program}.exe`);
}

/** Evaluated at each call, so that tests can be another platform. */
function isWindows(): boolean {
  return process.platform === "win32";
}
