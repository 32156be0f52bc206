// The processor time of programs with all processes that they start, those that are killed or leave their parent among
// them, and the processes that a program leaves behind. Each process is looked at once a second: what lives shorter counts
// only where its parent waits for it. A process whose parent ended between two looks is known by the mark in its
// environment, and one that clears its environment by its parent.
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/** The variable of the marks: several, where a test runs a runner, whose own processes are those of both. */
const MARKS = "EXTROSPECT_TEST_MARKS";

/**
 * An environment that marks a program and all that it starts.
 * @param {NodeJS.ProcessEnv} env
 * @returns {{env: NodeJS.ProcessEnv, mark: string}}
 */
export function marked(env) {
  const mark = randomUUID();
  return { env: { ...env, [MARKS]: [env[MARKS], mark].filter(Boolean).join(" ") }, mark };
}

/** Clock ticks a second in /proc: the same on every Linux. */
const TICKS = 100;
const LOOK_MS = 1_000;

/**
 * @typedef {object} Seen
 * @property {number} pid
 * @property {number} parent
 * @property {string} key         pid and start, so that a pid that is used again is another process
 * @property {number} seconds     of its own
 * @property {number} waitedFor   seconds of children that it waited for
 *
 * @typedef {object} Watched
 * @property {number} pid
 * @property {string | undefined} key   of the program; nothing when it had ended before the first look
 * @property {string | undefined} mark
 * @property {Map<string, Seen>} processes   by key, as last seen
 */

/** @returns {Seen[]} all processes; none where there is no /proc */
function processesNow() {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => seenProcess(Number(name)) ?? []);
  } catch {
    return [];
  }
}

/** @param {number} pid @returns {Seen | undefined} nothing for a process that has ended */
function seenProcess(pid) {
  let stat;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The program's name may hold anything, and is in parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const number = (/** @type {number} */ at) => Number(fields[at] ?? 0);
  return {
    pid,
    parent: number(1),
    key: `${pid} ${number(19)}`,
    seconds: (number(11) + number(12)) / TICKS,
    waitedFor: (number(13) + number(14)) / TICKS,
  };
}

/** What the kernel runs itself has no environment. */
const KERNEL_THREADS = 2;

/**
 * @param {number} pid
 * @returns {string | undefined} nothing for a process that has ended, or is another user's, where this one may not read it
 */
function environmentNow(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return undefined;
  }
}

/** @param {string} environment @returns {string[]} */
function marksIn(environment) {
  const variable = environment.split("\0").find((one) => one.startsWith(`${MARKS}=`));
  return variable === undefined ? [] : variable.slice(MARKS.length + 1).split(" ");
}

export class ProcessWatch {
  /** @type {Set<Watched>} */
  #watched = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  #looking;
  #processes;
  #environment;
  /** The marks of each process, by key: read once, since a look reads all processes. @type {Map<string, string[]>} */
  #marks = new Map();

  /** @param {() => Seen[]} [processes] @param {(pid: number) => string | undefined} [environment] */
  constructor(processes = processesNow, environment = environmentNow) {
    this.#processes = processes;
    this.#environment = environment;
  }

  /**
   * @param {number} pid   of a program that has just started
   * @param {string} [mark]   in its environment
   * @returns {Watched}
   */
  begin(pid, mark) {
    // The program has not been waited for yet, so that no other process can have its pid.
    const key = this.#processes().find((one) => one.pid === pid)?.key;
    /** @type {Watched} */
    const watched = { pid, key, mark, processes: new Map() };
    this.#watched.add(watched);
    this.#looking ??= setInterval(() => this.#look(), LOOK_MS).unref();
    this.#look();
    return watched;
  }

  /**
   * After the end of the program.
   * @param {Watched} watched
   * @returns {{seconds: number, left: number[]}} processor seconds; processes that it left behind
   */
  end(watched) {
    const now = new Set(this.#look().map(({ key }) => key));
    this.#watched.delete(watched);
    if (this.#watched.size === 0) {
      clearInterval(this.#looking);
      this.#looking = undefined;
    }
    const all = [...watched.processes.values()];
    const root = watched.key === undefined ? undefined : watched.processes.get(watched.key);
    const seen = all.reduce((sum, { seconds }) => sum + seconds, 0);
    return {
      seconds: Math.max(seen, (root?.seconds ?? 0) + (root?.waitedFor ?? 0)),
      left: all.filter(({ key }) => key !== watched.key && now.has(key)).map(({ pid }) => pid),
    };
  }

  /** Assigns each process to the program that started it, directly or not. */
  #look() {
    const all = this.#processes();
    const byPid = new Map(all.map((one) => [one.pid, one]));
    this.#readMarks(all);
    for (const watched of this.#watched) {
      const isMarked = (/** @type {string} */ key) =>
        watched.mark !== undefined && this.#marks.get(key)?.includes(watched.mark) === true;
      const known = new Map(all.map(({ pid, key }) => [pid, watched.processes.has(key) || isMarked(key)]));
      const isOwn = (/** @type {number} */ pid) => {
        const path = [];
        for (let at = byPid.get(pid); at !== undefined && path.length < all.length; at = byPid.get(at.parent)) {
          if (at.key === watched.key || known.get(at.pid) === true) {
            for (const one of path) known.set(one, true);
            return true;
          }
          path.push(at.pid);
        }
        return false;
      };
      for (const one of all) if (isOwn(one.pid)) watched.processes.set(one.key, one);
    }
    return all;
  }
  /** @param {Seen[]} all */
  #readMarks(all) {
    const before = this.#marks;
    this.#marks = new Map();
    for (const { pid, parent, key } of all) {
      const marks = before.get(key) ?? (parent === KERNEL_THREADS ? [] : this.#marksOf(pid));
      if (marks !== undefined) this.#marks.set(key, marks);
    }
  }

  /** @param {number} pid @returns {string[] | undefined} nothing to keep while there is no environment: its program begins just now */
  #marksOf(pid) {
    const environment = this.#environment(pid);
    return environment === "" ? undefined : marksIn(environment ?? "");
  }
}
