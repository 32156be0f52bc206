// The end of a run from outside: a signal, or the end of the npm that started it. npm does not pass on a SIGKILL, and the
// shell between npm and this process no signal at all.
import { readFileSync } from "node:fs";
import { onEndingSignal } from "./ending-signals.mjs";

const LOOK_MS = 1_000;
/** npm is the parent, or the parent of its shell. */
const MOST_LINKS = 3;

/** @returns {AbortController} aborted at the first of them */
export function interruptionOfRun() {
  const interruption = new AbortController();
  const abort = () => {
    if (interruption.signal.aborted) return;
    // A terminal that was closed takes no more words, and its errors are no reason to end before the work does.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
    interruption.abort();
  };
  onEndingSignal(abort);
  if (process.env["npm_lifecycle_event"] !== undefined) watchStarter(process.pid, abort);
  return interruption;
}

/**
 * Calls once npm, or a process between the two, has ended.
 * @param {number} pid   of a process that npm has started
 * @param {() => void} ended
 */
export function watchStarter(pid, ended) {
  const links = linksToNpm(pid);
  if (links.length === 0) return;
  const look = setInterval(() => {
    if (links.every(({ child, parent }) => parentOf(child) === parent)) return;
    clearInterval(look);
    ended();
  }, LOOK_MS).unref();
}

/** From the process to npm; none where npm is not in sight. @param {number} pid @returns {{child: number, parent: number}[]} */
function linksToNpm(pid) {
  const links = [];
  for (let child = pid; links.length < MOST_LINKS;) {
    const parent = parentOf(child);
    if (parent === undefined || parent <= 1) return [];
    links.push({ child, parent });
    if (/(^|[\s/])npm(-cli\.js)?(\s|$)/.test(commandOf(parent))) return links;
    child = parent;
  }
  return [];
}

/** @param {number} pid @returns {number | undefined} nothing for one that has ended */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name may hold anything, and is in parentheses.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
