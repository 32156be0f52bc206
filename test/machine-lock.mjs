// Locks for what belongs to the whole machine: accounts, /etc, the memory that an account may lock. They hold between
// all test files, clones and runs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";

/**
 * `accounts`: useradd, usermod, userdel and the group files. `etc`: /etc/extrospect, sudoers, doas.conf.
 * `locked-memory`: tests that need or use up the memory that an account may lock. `containers`: files and control
 * groups where Docker and Podman have theirs. `clock`: the time of the machine.
 * A test that needs several takes them in this order, so that no two tests wait for each other.
 * @typedef {"accounts" | "etc" | "containers" | "locked-memory" | "clock"} MachinePart
 */

/**
 * Waits until no other test has that part of the machine, and keeps it until the end of the test, its `after` hooks
 * included, or of this process, however it ends.
 * @param {import("node:test").TestContext | null} t   null: until this process ends
 * @param {MachinePart} part
 */
export async function machineLock(t, part) {
  const unlock = await locked(part);
  // The signal comes after the hooks, which run in the order of their registration: the account must be gone first.
  t?.signal.addEventListener("abort", () => void unlock());
}

/**
 * Does something while no other test has that part of the machine: adds an account, for example, which may stay longer.
 * @template T
 * @param {MachinePart} part
 * @param {() => T | Promise<T>} work
 */
export async function withMachineLock(part, work) {
  const unlock = await locked(part);
  try {
    return await work();
  } finally {
    await unlock();
  }
}

/** @param {MachinePart} part @returns {Promise<() => Promise<unknown>>} unlocks, and waits until it is */
async function locked(part) {
  // The kernel drops the lock with the last holder of its file: `cat` ends when this process closes the pipe or dies.
  const holder = spawn("flock", [machineLockFile(part), "-c", "echo locked; exec cat"], {
    stdio: ["pipe", "pipe", "inherit"],
    // Ctrl-C and a kill of the whole group must leave it to the end of this process.
    detached: true,
  });
  const [first] = await Promise.race([once(holder.stdout, "data"), once(holder, "close")]);
  assert.equal(String(first).trim(), "locked", `flock cannot lock ${machineLockFile(part)}`);
  // The lock alone keeps no process running.
  holder.unref();
  for (const stream of [holder.stdin, holder.stdout]) /** @type {import("node:net").Socket} */ (stream).unref();
  return () => {
    holder.stdin.end();
    // Another program that locks at once blocks this process, which then cannot reach the holder.
    holder.ref();
    return holder.exitCode === null && holder.signalCode === null ? once(holder, "exit") : Promise.resolve();
  };
}

/** @param {MachinePart} part */
export function machineLockFile(part) {
  return join(machineFolder(), `extrospect-tests-${part}.lock`);
}

/** For what all test files see, each of which has its own folder for temporary files. */
export const machineFolder = () => (isWritable("/run/lock") ? "/run/lock" : "/tmp");

/** @param {string} folder */
function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
