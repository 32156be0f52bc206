// Accounts of this machine that are there as long as a test, or as its process when that is ended before. The next test
// removes those of a process that was killed.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { machineLockFile, withMachineLock } from "./machine-lock.mjs";
import { must } from "./must.mjs";

/** Names of accounts and groups of tests, with the process id of the test. */
const OURS = /^(?:xssh(\d+)x\d+|xtro(\d+)[abg]|extrospect-pod-(\d+))$/;
/** At the exit of a process: more than another test takes for `useradd`. */
const LOCK_SECONDS = 5;

/**
 * The names of which the test has ended.
 * @param {string} list   as /etc/passwd and /etc/group have them
 * @param {(pid: string) => boolean} [isRunning]
 */
export function leftNames(list, isRunning = (pid) => existsSync(`/proc/${pid}`)) {
  return list.split("\n").flatMap((line) => {
    const [name = ""] = line.split(":");
    const pid = OURS.exec(name)?.slice(1).find(Boolean);
    return pid !== undefined && !isRunning(pid) ? [name] : [];
  });
}

/** Under the lock of accounts. */
export function removeLeftAccounts() {
  for (const name of leftNames(readFileSync("/etc/passwd", "utf8"))) {
    spawnSync("pkill", ["-KILL", "-u", name]);
    spawnSync("userdel", [name]);
  }
  for (const name of leftNames(readFileSync("/etc/group", "utf8"))) spawnSync("groupdel", [name]);
}

/** Another test may have the lock for minutes: then its next account removes them. */
export function removeLeftAccountsUnlessLocked() {
  const work = `import { removeLeftAccounts } from ${JSON.stringify(import.meta.url)}; removeLeftAccounts();`;
  const node = [process.execPath, "--input-type=module", "--eval", work];
  spawnSync("flock", ["--nonblock", machineLockFile("accounts"), ...node]);
}

/**
 * @param {{after: (undo: () => unknown) => unknown}} t   a test, or an object like one
 * @param {string} name
 * @param {string[]} options   of `useradd`
 */
export async function addAccount(t, name, options) {
  const remove = () => {
    process.off("exit", remove);
    spawnSync("pkill", ["-KILL", "-u", name]);
    // At the exit of a process nothing else can wait for a lock. This process may have it: then it is waited for in vain.
    const run = spawnSync("flock", ["--timeout", String(LOCK_SECONDS), machineLockFile("accounts"), "userdel", name]);
    if (run.status !== 0) spawnSync("userdel", [name]);
  };
  await withMachineLock("accounts", () => {
    removeLeftAccounts();
    must("useradd", ...options, name);
    process.on("exit", remove);
  });
  t.after(remove);
}

/** The password as `usermod -p` takes it. @param {string} name @param {string} hash */
export function setPassword(name, hash) {
  return withMachineLock("accounts", () => must("usermod", "-p", hash, name));
}
