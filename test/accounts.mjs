// Accounts of this machine that are there as long as a test, or as its process when that is ended before.
import { spawnSync } from "node:child_process";
import { machineLockFile, withMachineLock } from "./machine-lock.mjs";
import { must } from "./must.mjs";

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
    const run = spawnSync("flock", ["--timeout", "20", machineLockFile("accounts"), "userdel", name]);
    if (run.status !== 0) spawnSync("userdel", [name]);
  };
  await withMachineLock("accounts", () => {
    must("useradd", ...options, name);
    process.on("exit", remove);
  });
  t.after(remove);
}

/** The password as `usermod -p` takes it. @param {string} name @param {string} hash */
export function setPassword(name, hash) {
  return withMachineLock("accounts", () => must("usermod", "-p", hash, name));
}
