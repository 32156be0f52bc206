// The system's git, asked one question at a time: without a shell, a prompt, hooks, filters or the network, for a bounded time. No vscode in here.

import { spawn } from "node:child_process";

/** Settings that would have it start programs, talk with servers or write. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.untrackedCache", "false"],
  ["protocol.allow", "never"],
  ["credential.helper", ""],
  ["log.showSignature", "false"],
  ["gpg.program", "false"],
];
const MAX_BYTES = 4 * 1024 * 1024;
const MOST_FILTERS = 64;

export interface Question {
  readonly folder: string;
  readonly args: readonly string[];
  readonly input?: string;
}

/** How long an answer is waited for. */
export interface Bounds {
  /** Milliseconds; what the program itself has when absent. */
  readonly patienceMs?: number;
  /** How much it may say; what the program itself has when absent. */
  readonly maxBytes?: number;
  /** Aborted: nobody waits any more. */
  readonly signal?: AbortSignal | undefined;
}

/** A git that gives up: every failure (no git, no repository, another user's, too slow, too much) is no answer. */
export class GitProgram {
  readonly #filters = new Map<string, Promise<readonly string[]>>();

  constructor(
    private readonly program = "git",
    private readonly patienceMs = 5_000,
  ) {}

  /** What it says, without the line's end; undefined when it says no or nothing at all. */
  async answer(folder: string, args: readonly string[], input = "", bounds: Bounds = {}): Promise<string | undefined> {
    const filters = await unlessAborted(this.#filtersOf(folder), bounds.signal);
    if (filters === undefined) return undefined;
    return this.#ask({ folder, args, input }, filters, bounds);
  }

  /** Filters are programs: those that a repository names are left out. */
  #filtersOf(folder: string): Promise<readonly string[]> {
    const known = this.#filters.get(folder);
    if (known !== undefined) return known;
    const asked = this.#ask({ folder, args: ["config", "-z", "--name-only", "--get-regexp", "^filter\\."] }, []).then((names = "") => {
      const filters = names.split("\0").flatMap((name) => /^filter\.(.*)\.[^.]*$/s.exec(name)?.[1] ?? []);
      return [...new Set(filters)].slice(0, MOST_FILTERS);
    });
    this.#filters.set(folder, asked);
    // Configurations change, and asking is cheap.
    setTimeout(() => this.#filters.delete(folder), 10_000).unref();
    return asked;
  }

  #ask({ folder, args, input = "" }: Question, filters: readonly string[], { patienceMs = this.patienceMs, maxBytes = MAX_BYTES, signal }: Bounds = {}): Promise<string | undefined> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve(undefined);
        return;
      }
      const child = spawn(this.program, ["--no-pager", ...args], { cwd: folder, env: environment(filters), stdio: ["pipe", "pipe", "ignore"], detached: true });
      const chunks: Buffer[] = [];
      let bytes = 0;
      const end = (answer: string | undefined) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", giveUp);
        // What it started is ended with it.
        if (child.exitCode === null && child.pid !== undefined) killGroup(child.pid);
        child.stdout.destroy();
        resolve(answer);
      };
      const giveUp = () => {
        end(undefined);
      };
      const timer = setTimeout(giveUp, patienceMs);
      signal?.addEventListener("abort", giveUp, { once: true });
      child.once("error", () => {
        end(undefined);
      });
      child.stdout.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > maxBytes) end(undefined);
      });
      child.once("close", (code) => {
        end(code === 0 ? Buffer.concat(chunks).toString("utf8").replace(/\n$/, "") : undefined);
      });
      // It may end before it has read this.
      child.stdin.on("error", () => {});
      child.stdin.end(input);
    });
  }
}

/** Others may wait for the same, so it goes on. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (signal === undefined) return work;
  return new Promise((resolve) => {
    const giveUp = () => {
      resolve(undefined);
    };
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    void work.then(resolve).finally(() => {
      signal.removeEventListener("abort", giveUp);
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function environment(filters: readonly string[]): NodeJS.ProcessEnv {
  const { PATH, HOME, USERPROFILE, XDG_CONFIG_HOME, SystemRoot } = process.env;
  const settings = [...SETTINGS, ...filters.flatMap((name) => [[`filter.${name}.clean`, ""] as const, [`filter.${name}.process`, ""] as const, [`filter.${name}.required`, "false"] as const])];
  return {
    PATH,
    HOME,
    USERPROFILE,
    XDG_CONFIG_HOME,
    SystemRoot,
    LC_ALL: "C",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${String(index)}`, key],
        [`GIT_CONFIG_VALUE_${String(index)}`, value],
      ]),
    ),
  };
}
