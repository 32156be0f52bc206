// Processor time, as the kernel and the shell count it.
import { readFileSync } from "node:fs";

/** Clock ticks a second in /proc: the same on every Linux. */
const TICKS = 100;

/**
 * Processor seconds of this process, and of its children that have ended and were waited for, with theirs.
 * @returns {{own: number, children: number}}
 */
export function processorSeconds() {
  const stat = readFileSync("/proc/self/stat", "utf8");
  // The program's name may hold anything, and is in parentheses.
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [user = 0, system = 0, childrensUser = 0, childrensSystem = 0] = fields.slice(11, 15);
  return { own: (user + system) / TICKS, children: (childrensUser + childrensSystem) / TICKS };
}

/** For `sh -c`: runs a command, and writes the output of the shell's `times` into a file, the first argument. */
export const TIMED_COMMAND = 'file=$1; shift; "$@"; code=$?; times > "$file"; exit $code';

/** The last line of the shell's `times`: user and system time of its child processes. */
const CHILD_TIMES = /^(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/m;

/** @param {string} times   first a line of the shell's own, then one of its children */
export function childSeconds(times) {
  const line = times.trim().split("\n").at(-1) ?? "";
  const [, userMinutes = 0, user = 0, systemMinutes = 0, system = 0] = CHILD_TIMES.exec(line) ?? [];
  return 60 * (Number(userMinutes) + Number(systemMinutes)) + Number(user) + Number(system);
}
