// What the Podman of a killed test has left: its containers run on, and its storage is mounted.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { removeWithMounts } from "../../scripts/half-made.mjs";

export const PODMAN_FOLDERS = "/var/tmp";
/** The folder of one, with the process id of its test. */
const FOLDER = /^extrospect-podman-(\d+)-/;

/** Its command, with all that it stores in that folder. @param {string} folder */
export const podmanIn = (folder) => [
  "podman",
  "--root",
  join(folder, "storage"),
  "--runroot",
  join(folder, "run"),
  "--tmpdir",
  join(folder, "tmp"),
  // crun takes no mixture of control groups of both versions.
  "--runtime",
  "runc",
  "--cgroup-manager",
  "cgroupfs",
];

/**
 * Removes containers and storage of killed tests.
 * @param {string} [place]
 * @param {(folder: string) => void} [endContainers]   those in such a folder
 */
export function removeLeftContainers(place = PODMAN_FOLDERS, endContainers = endAll) {
  if (!existsSync(place)) return;
  for (const name of readdirSync(place)) {
    const [, pid] = FOLDER.exec(name) ?? [];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    endContainers(join(place, name));
    removeWithMounts(join(place, name));
  }
}

/** @param {string} folder */
function endAll(folder) {
  const [program = "", ...options] = podmanIn(folder);
  spawnSync(program, [...options, "rm", "--all", "--force", "--time", "0"], { cwd: "/" });
}
