// .cache/gate.json: the result of the last whole `npm test` or `npm run nightly`, for programs that ask whether a commit
// is proven.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "./command.mjs";
import { ROOT } from "./project.mjs";

/** Git does not know it. */
const GATE_FILE = join(ROOT, ".cache/gate.json");

/**
 * @typedef {object} GateRecord
 * @property {boolean} nightly
 * @property {import("./test-counts.mjs").TestCounts} counts   of the last run of each file
 * @property {string[]} skipped       tests that prove nothing: their files, names and reasons
 * @property {string[]} unstable      files that failed, and passed alone
 * @property {boolean} passed
 * @property {number} seconds         set-up included
 * @property {number} cpuSeconds      of this run and all that it waited for
 * @property {Record<string, {seconds: number, cpuSeconds: number}>} lanes   sums over files, killed programs included
 */

/**
 * What git reports of the checkout; nothing where there is none.
 * @typedef {{commit: string | null, changes: string[] | null}} CheckoutState   `changes`: a line of `git status` each
 */

/** Tags of `git ls-files -v`: in lower case where a file is assumed to be unchanged, `S` where it need not be there. */
const NOT_LOOKED_AT = /^(?:[a-z]|S) /;
const notKnown = (/** @type {string} */ file) => `not known: ${file.slice(2)}, which git is told not to look at`;

/** @param {string} [root] @returns {Promise<CheckoutState>} */
export async function checkoutState(root = ROOT) {
  const git = async (/** @type {string[]} */ ...args) => {
    const { code, stdout } = await run("git", args, { cwd: root }).catch(() => ({ code: 1, stdout: "" }));
    return code === 0 ? stdout.trimEnd() : null;
  };
  const lines = (/** @type {string | null} */ text) => text?.split("\n").filter(Boolean);
  const commit = await git("rev-parse", "HEAD");
  // Whatever the user's configuration hides.
  const changes = lines(await git("status", "--porcelain", "--untracked-files=all", "--ignore-submodules=none"));
  const files = lines(await git("ls-files", "-v"));
  if (changes === undefined || files === undefined) return { commit, changes: null };
  return { commit, changes: [...changes, ...files.filter((file) => NOT_LOOKED_AT.test(file)).map(notKnown)] };
}

/**
 * A run proves a commit only where the sources were that commit from its beginning to its end.
 * @param {CheckoutState} before   the tests
 * @param {CheckoutState} after
 * @returns {{commit: string | null, isClean: boolean, changedDuring: string[]}}
 */
export function stateOfRun(before, after) {
  const lines = (/** @type {CheckoutState} */ { changes }) => changes ?? ["git does not report the changes"];
  const changedDuring = [
    ...(before.commit === after.commit ? [] : [`the commit, from ${before.commit} to ${after.commit}`]),
    ...lines(after).filter((line) => !lines(before).includes(line)),
    ...lines(before)
      .filter((line) => !lines(after).includes(line))
      .map((line) => `no longer: ${line}`),
  ];
  const isClean = [before, after].every(({ changes }) => changes?.length === 0) && changedDuring.length === 0;
  return { commit: before.commit, isClean, changedDuring };
}

/**
 * All of it, or none.
 * @param {ReturnType<typeof stateOfRun>} state
 * @param {GateRecord} record
 * @param {string} [path]
 */
export function writeGateRecord(state, record, path = GATE_FILE) {
  // That of an earlier run would be taken for this one.
  rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  const making = `${path}.${process.pid}`;
  try {
    writeFileSync(making, `${JSON.stringify({ date: new Date().toISOString(), ...state, ...record }, null, 1)}\n`);
    renameSync(making, path);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}
