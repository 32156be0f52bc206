// The system's git, called once for each question: without a shell, a prompt, hooks, filters or the network, for a
// bounded time. No vscode in here.

import { endTree, startSilentProgram } from "../child-program.js";

/** Settings that would have it start programs, talk with servers or write. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.untrackedCache", "false"],
  ["protocol.allow", "never"],
  ["credential.helper", ""],
  ["log.showSignature", "false"],
  ["gpg.program", "false"],
];
const MAX_BYTES = 4 * 1024 * 1024;
/** Of an answer in parts. */
const LONGEST_PART = 1024 * 1024;
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
  /** Aborted: no caller waits any longer. */
  readonly signal?: AbortSignal | undefined;
}

/** Takes a piece of an answer. @returns whether it takes more */
type Taker = (piece: Buffer) => boolean;

/** A git that gives up: every failure (no git, no repository, another user's, too slow, too much) is no answer. */
export class GitProgram {
  readonly #filters = new Map<string, Promise<readonly string[]>>();

  constructor(
    private readonly program = "git",
    private readonly patienceMs = 5_000,
  ) {}

  /** Its output without the final line end; undefined when it fails. */
  async answer(folder: string, args: readonly string[], input = "", bounds: Bounds = {}): Promise<string | undefined> {
    const ended = await this.ended(folder, args, input, bounds);
    return ended?.code === 0 ? ended.text : undefined;
  }

  /** The same, with its exit code; undefined when it did not start, was too slow, or printed too much. */
  async ended(
    folder: string,
    args: readonly string[],
    input = "",
    bounds: Bounds = {},
  ): Promise<{ readonly code: number; readonly text: string } | undefined> {
    const filters = await unlessAborted(this.#filtersOf(folder), bounds.signal);
    if (filters === undefined) return undefined;
    return this.#ask({ folder, args, input }, filters, bounds);
  }

  /**
   * An answer of any length whose parts end with NUL bytes, as `-z` has them: each is taken when it comes.
   * @returns whether all of them came; else those that did are a part of the answer
   */
  async parts(
    folder: string,
    args: readonly string[],
    take: (part: string) => void,
    bounds: Omit<Bounds, "maxBytes"> = {},
  ): Promise<boolean> {
    const filters = await unlessAborted(this.#filtersOf(folder), bounds.signal);
    if (filters === undefined) return false;
    let rest: Buffer[] = [];
    let restBytes = 0;
    const code = await this.#run({ folder, args }, filters, bounds, (piece) => {
      let from = 0;
      for (let to = piece.indexOf(0); to !== -1; to = piece.indexOf(0, from)) {
        take(Buffer.concat([...rest, piece.subarray(from, to)]).toString("utf8"));
        [rest, restBytes, from] = [[], 0, to + 1];
      }
      rest.push(piece.subarray(from));
      restBytes += piece.length - from;
      return restBytes <= LONGEST_PART;
    });
    return code === 0 && restBytes === 0;
  }

  /** Filters are programs: those that a repository names are left out. */
  #filtersOf(folder: string): Promise<readonly string[]> {
    const known = this.#filters.get(folder);
    if (known !== undefined) return known;
    const drivers = this.#ask({ folder, args: ["config", "-z", "--name-only", "--get-regexp", "^filter\\."] }, []).then(
      (ended) => {
        const filters = (ended?.code === 0 ? ended.text : "")
          .split("\0")
          .flatMap((name) => /^filter\.(.*)\.[^.]*$/s.exec(name)?.[1] ?? []);
        return [...new Set(filters)].slice(0, MOST_FILTERS);
      },
    );
    this.#filters.set(folder, drivers);
    // Configurations change, and asking is cheap.
    setTimeout(() => this.#filters.delete(folder), 10_000).unref();
    return drivers;
  }

  async #ask(
    question: Question,
    filters: readonly string[],
    { maxBytes = MAX_BYTES, ...bounds }: Bounds = {},
  ): Promise<{ readonly code: number; readonly text: string } | undefined> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const code = await this.#run(question, filters, bounds, (piece) => {
      pieces.push(piece);
      bytes += piece.length;
      return bytes <= maxBytes;
    });
    return code === null ? undefined : { code, text: Buffer.concat(pieces).toString("utf8").replace(/\n$/, "") };
  }

  /** @returns the exit code; null when it did not end by itself, or not all of its output was taken */
  #run(
    { folder, args, input = "" }: Question,
    filters: readonly string[],
    { patienceMs = this.patienceMs, signal }: Bounds,
    take: Taker,
  ): Promise<number | null> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve(null);
        return;
      }
      const child = startSilentProgram(this.program, ["--no-pager", ...args], {
        cwd: folder,
        env: environment(filters),
        ownsTree: true,
      });
      const end = (code: number | null) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", giveUp);
        child.stdout.off("data", took);
        endTree(child);
        child.stdout.destroy();
        resolve(code);
      };
      const giveUp = () => {
        end(null);
      };
      const took = (piece: Buffer) => {
        if (!take(piece)) giveUp();
      };
      const timer = setTimeout(giveUp, patienceMs);
      signal?.addEventListener("abort", giveUp, { once: true });
      child.once("error", giveUp);
      child.stdout.on("data", took);
      child.once("close", (code) => {
        end(code);
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

function environment(filters: readonly string[]): NodeJS.ProcessEnv {
  const { PATH, HOME, USERPROFILE, XDG_CONFIG_HOME, SystemRoot } = process.env;
  const settings = [
    ...SETTINGS,
    // A folder that cannot exist.
    ["core.hooksPath", process.platform === "win32" ? String.raw`\\.\nul` : "/dev/null"] as const,
    ...filters.flatMap((name) => [
      [`filter.${name}.clean`, ""] as const,
      [`filter.${name}.process`, ""] as const,
      [`filter.${name}.required`, "false"] as const,
    ]),
  ];
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
