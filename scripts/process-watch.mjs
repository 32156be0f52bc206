// The processor time of programs with all processes that they start, those that are killed or leave their parent among
// them, and the processes that a program leaves behind. Each process is looked at once a second: what lives shorter counts
// only where its parent waits for it.
import { readdirSync, readFileSync } from "node:fs";

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

export class ProcessWatch {
  /** @type {Set<Watched>} */
  #watched = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  #looking;
  #processes;

  /** @param {() => Seen[]} [processes] */
  constructor(processes = processesNow) {
    this.#processes = processes;
  }

  /** @param {number} pid   of a program that has just started @returns {Watched} */
  begin(pid) {
    const watched = { pid, processes: new Map() };
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
    const root = all.find(({ pid }) => pid === watched.pid);
    const seen = all.reduce((sum, { seconds }) => sum + seconds, 0);
    return {
      seconds: Math.max(seen, (root?.seconds ?? 0) + (root?.waitedFor ?? 0)),
      left: all.filter(({ key, pid }) => pid !== watched.pid && now.has(key)).map(({ pid }) => pid),
    };
  }

  /** Assigns each process to the program that started it, directly or not. */
  #look() {
    const all = this.#processes();
    const byPid = new Map(all.map((one) => [one.pid, one]));
    for (const watched of this.#watched) {
      const known = new Map([...byPid.values()].map((one) => [one.pid, watched.processes.has(one.key)]));
      const isOwn = (/** @type {number} */ pid) => {
        const path = [];
        for (let at = byPid.get(pid); at !== undefined && path.length < all.length; at = byPid.get(at.parent)) {
          if (at.pid === watched.pid || known.get(at.pid) === true) {
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
}
