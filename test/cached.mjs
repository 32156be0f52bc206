// Data that tests make once and use again and again, kept under a name that depends on its inputs.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileLock } from "../scripts/file-lock.mjs";
import { until } from "./until.mjs";

const READY_MARK = ".extrospect-ready";
const DAY_MS = 86_400_000;
/** A folder that was not used for so long is removed. */
const KEPT_MS = 2 * DAY_MS;

/** @param {(string | Buffer)[]} parts   all that the result depends on */
export function hashOf(parts) {
  const hash = createHash("sha256");
  // Each with its length: "ab", "c" is not "a", "bc".
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest("hex").slice(0, 16);
}

/**
 * Makes a folder unless it is there. Of two that want it at once, one makes it and the other waits.
 * @param {string} folder   absolute; its last part is the hash of its inputs
 * @param {(folder: string) => Promise<unknown>} make   fills the folder, which is not there yet. The written files may
 *   name the folder
 * @param {AbortSignal} [signal]   ends the wait for another one that makes it
 * @returns {Promise<string>} the folder, not to be written to
 */
export async function cached(folder, make, signal) {
  const mark = join(folder, READY_MARK);
  const isReady = () => existsSync(mark);
  if (!isReady()) {
    mkdirSync(dirname(folder), { recursive: true });
    const unlock = await lock(`${folder}.lock`, signal);
    try {
      if (!isReady()) {
        // A folder without a mark is incomplete.
        rmSync(folder, { recursive: true, force: true });
        await make(folder);
        writeFileSync(mark, "");
        forgetUnused(dirname(folder));
      }
    } finally {
      await unlock();
    }
  }
  utimesSync(mark, new Date(), new Date());
  return folder;
}

/** The other maker may need longer than a wait by night. @param {string} file @param {AbortSignal} [signal] */
async function lock(file, signal) {
  const attempt = () =>
    fileLock(file, signal).then(
      (unlock) => ({ unlock, error: undefined }),
      // Another try has the same full disk.
      (/** @type {unknown} */ error) => ({ unlock: undefined, error }),
    );
  const { unlock, error } = await until(`the lock ${file}`, attempt, Infinity);
  if (unlock) return unlock;
  throw error;
}

/** @param {string} all   folder of such folders */
function forgetUnused(all) {
  for (const name of readdirSync(all)) {
    const mark = join(all, name, READY_MARK);
    if (existsSync(mark) && Date.now() - statSync(mark).mtimeMs > KEPT_MS)
      rmSync(join(all, name), { recursive: true, force: true });
  }
}
