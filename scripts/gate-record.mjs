// .cache/gate.json: the result of the last whole `npm test` or `npm run nightly`, for programs that ask whether a commit
// is proven.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "./command.mjs";
import { ROOT } from "./project.mjs";
import { inTemporaryFolder } from "./temporary-folder.mjs";

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

/** Whatever the configuration hides, the user's or the clone's. */
const LOOK_AT_ALL = [
  "core.excludesFile=/dev/null",
  "core.fsmonitor=false",
  "core.fileMode=true",
  "core.autocrlf=false",
  "core.sparseCheckout=false",
].flatMap((setting) => ["-c", setting]);
const STATUS = ["status", "--porcelain", "--untracked-files=all", "--ignore-submodules=none"];

/** @param {string} [root] @returns {Promise<CheckoutState>} */
export async function checkoutState(root = ROOT) {
  const git = async (/** @type {string[]} */ args, env = process.env) => {
    const { code, stdout } = await run("git", [...LOOK_AT_ALL, ...args], { cwd: root, env });
    if (code !== 0) throw new Error(`git ${args[0]}: exit code ${code}`);
    return stdout.trimEnd();
  };
  const commit = await git(["rev-parse", "HEAD"]).catch(() => null);
  if (commit === null) return { commit, changes: null };
  // An index of the commit alone: git reads each file, whatever it knows of their times or is set not to look at.
  const changes = inTemporaryFolder(async (folder) => {
    const env = { ...process.env, GIT_INDEX_FILE: join(folder, "index") };
    await git(["read-tree", commit], env);
    return (await git(STATUS, env)).split("\n").filter(Boolean);
  });
  return { commit, changes: await changes.catch(() => null) };
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
