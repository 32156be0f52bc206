// A busy machine that starves single programs: busy loops on every processor, and processes of VMs, helpers and editors
// that stop for some time, at random. A test that depends on the machine's speed fails beside it.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { isHeld, isSpared as isSparedByTest } from "../vms/held.mjs";

const BUSY_LOOPS = 4;
/** Ends with this process, however that ends. */
const BUSY_LOOP = "while kill -0 $PPID; do i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; done 2>/dev/null";
/** Milliseconds between two stops, and the length of a stop: at least, at most. */
const PAUSE_MS = [200, 1_500];
const STOP_MS = [100, 2_000];
/** After a stop a process goes on for so long at least: when few are left, a look of a second has to end in between. */
const REST_MS = 10_000;
/** Names of the programs that are stopped: the VM, the helper, the editor's server and extension host, its browser. */
const STOPPED = /^(beam\.smp|beam\.debug|extrospect|node|headless_shell|chromium.*|chrome-headless.*)$/;
/** `script` stops itself with the program that it runs, and no program lets it go on. */
const STOPS_WITH_ITS_CHILD = "script";

/** @param {number[]} range */
const between = ([least = 0, most = 0]) => least + Math.random() * (most - least);

/**
 * @param {number} root   pid of the program whose descendants are stopped; itself and its test runners go on
 * @param {{isSpared?: (command: string) => boolean}} [options]
 * @returns {{stops: () => number, end: () => void}} `stops`: the number of stops so far
 */
export function disturb(root, { isSpared = () => false } = {}) {
  const loops = Array.from({ length: BUSY_LOOPS }, () => spawn("/bin/sh", ["-c", BUSY_LOOP], { stdio: "ignore" }));
  /** @type {Set<number>} */
  const stopped = new Set();
  /** @type {Set<number>} */
  const resting = new Set();
  let stops = 0;
  let timer = setTimeout(stopOne, between(PAUSE_MS));

  const isExempt = (/** @type {number} */ pid, /** @type {string} */ command) =>
    isHeld(pid) || isSparedByTest(pid) || isSpared(command);

  function stopOne() {
    const candidates = descendants(root).filter(
      ({ pid, name, state, command, isWatched }) =>
        STOPPED.test(name) && state !== "T" && !resting.has(pid) && !isWatched && !isExempt(pid, command),
    );
    const chosen = candidates[Math.floor(Math.random() * candidates.length)];
    if (chosen !== undefined && signal(chosen.pid, "SIGSTOP")) {
      stops += 1;
      stopped.add(chosen.pid);
      resting.add(chosen.pid);
      setTimeout(() => goOn(chosen.pid), between(STOP_MS));
    }
    timer = setTimeout(stopOne, between(PAUSE_MS));
  }
  /** @param {number} pid */
  function goOn(pid) {
    stopped.delete(pid);
    setTimeout(() => resting.delete(pid), REST_MS).unref();
    // A test that holds the VM since lets it go on itself.
    if (!isHeld(pid)) signal(pid, "SIGCONT");
  }
  return {
    stops: () => stops,
    end: () => {
      clearTimeout(timer);
      for (const pid of stopped) goOn(pid);
      for (const loop of loops) loop.kill("SIGKILL");
    },
  };
}

/** @param {number} pid @param {NodeJS.Signals} name @returns {boolean} false: it has ended */
function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/**
 * @param {number} root
 * @returns {{pid: number, name: string, state: string, command: string, isWatched: boolean}[]} without the root
 */
function descendants(root) {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)) ?? []);
  const inside = new Set([root]);
  for (let size = 0; size !== inside.size;) {
    size = inside.size;
    for (const { pid, parent } of all) if (inside.has(parent)) inside.add(pid);
  }
  const watchers = new Set(all.filter(({ name }) => name === STOPS_WITH_ITS_CHILD).map(({ pid }) => pid));
  return all
    .filter(({ pid }) => pid !== root && inside.has(pid))
    .map((found) => ({ ...found, isWatched: watchers.has(found.parent) }));
}

/** @param {number} pid */
function readProcess(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return {
      pid,
      parent: Number(parent),
      state,
      name: stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")),
      command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "),
    };
  } catch {
    return undefined;
  }
}
