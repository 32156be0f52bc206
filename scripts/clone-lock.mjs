// Two runs in one clone build to the same places: they prepare one after the other, and test beside each other.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileLock } from "./file-lock.mjs";

/**
 * @param {string} file   of the lock
 * @param {{signal?: AbortSignal, onWait?: (pid: string) => void}} [options]   `onWait`: another run has it
 * @returns {<T>(job: () => Promise<T>) => Promise<T>} does a job while no other run does one; those of this run go side by side
 */
export function cloneLock(file, { signal, onWait = () => {} } = {}) {
  let jobs = 0;
  /** @type {Promise<() => Promise<unknown>> | undefined} */
  let lock;
  const locked = async () => {
    mkdirSync(dirname(file), { recursive: true });
    const owner = ownerOf(file);
    if (owner !== undefined) onWait(owner);
    const unlock = await fileLock(file, signal);
    writeFileSync(file, String(process.pid));
    return unlock;
  };
  return async (job) => {
    jobs += 1;
    const mine = (lock ??= locked());
    try {
      await mine;
      return await job();
    } finally {
      jobs -= 1;
      if (jobs === 0) {
        lock = undefined;
        await mine.then(
          (unlock) => unlock(),
          () => {},
        );
      }
    }
  };
}

/** @param {string} file @returns {string | undefined} the process id of another run, unless it has ended */
function ownerOf(file) {
  try {
    const pid = readFileSync(file, "utf8");
    readFileSync(`/proc/${pid}/stat`);
    return pid === "" || pid === String(process.pid) ? undefined : pid;
  } catch {
    return undefined;
  }
}
