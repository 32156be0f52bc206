// .cache/gate.json: the result of the last whole `npm test` or `npm run nightly`, for programs that ask whether a commit
// is proven.
import { mkdirSync, writeFileSync } from "node:fs";
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

/** @returns {Promise<{commit: string | null, isClean: boolean}>} read before the tests begin: they write files */
export async function checkoutState() {
  const git = async (/** @type {string[]} */ ...args) => {
    const { code, stdout } = await run("git", args, { cwd: ROOT }).catch(() => ({ code: 1, stdout: "" }));
    return code === 0 ? stdout.trim() : null;
  };
  const [commit, changes] = [await git("rev-parse", "HEAD"), await git("status", "--porcelain")];
  return { commit, isClean: changes === "" };
}

/**
 * @param {Awaited<ReturnType<typeof checkoutState>>} state
 * @param {GateRecord} record
 * @param {string} [path]
 */
export function writeGateRecord(state, record, path = GATE_FILE) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ date: new Date().toISOString(), ...state, ...record }, null, 1)}\n`);
}
