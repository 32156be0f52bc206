// Disks in memory that are there as long as a test, or as its process when that is ended before. The next such disk removes
// those of a process that was killed. Needs root.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { unescaped } from "../scripts/half-made.mjs";
import { must } from "./must.mjs";

/** The name of their source, with the process id of the test. */
const NAME = "extrospect-test-";

/**
 * Where disks are mounted whose test has ended, the last one first.
 * @param {string} list   as /proc/mounts has them
 * @param {(pid: string) => boolean} [isRunning]
 */
export function leftDisks(list, isRunning = (pid) => existsSync(`/proc/${pid}`)) {
  return [...list.matchAll(/^extrospect-test-(\d+) (\S+) tmpfs /gm)]
    .filter(([, pid = ""]) => !isRunning(pid))
    .map(([, , folder = ""]) => unescaped(folder))
    .reverse();
}

/** Those that a killed test has left. */
export function removeLeftDisks() {
  for (const folder of leftDisks(readFileSync("/proc/mounts", "utf8"))) spawnSync("umount", ["-l", folder]);
}

/**
 * @param {string} folder   where it is mounted
 * @param {string} options   of `mount`: its size
 * @returns {() => void} what unmounts it, which the exit of the process does, too
 */
export function smallDisk(folder, options) {
  removeLeftDisks();
  const unmount = () => {
    process.off("exit", unmount);
    spawnSync("umount", ["-l", folder]);
  };
  must("mount", "-t", "tmpfs", "-o", options, `${NAME}${process.pid}`, folder);
  process.on("exit", unmount);
  return unmount;
}
