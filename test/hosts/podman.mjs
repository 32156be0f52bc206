// Containers of a Podman whose storage is a test's own, each with a VM as its first process. Needs root.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { until } from "../until.mjs";
import { busyShell } from "../vms/busy-shell.mjs";
import { PODMAN_FOLDERS, podmanIn, removeLeftContainers } from "./podman-left.mjs";

/** @typedef {import("./sshd.mjs").Afterwards} Afterwards */

const IMAGE = "localhost/extrospect-container:1";
const CACHE = "/var/lib/containers/cache";
const SHARED = ["usr", "bin", "lib", "lib64", "etc"];
// The limits may be lower here than Podman's own.
const LIMITS = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1000:1000"];

/** Why there can be none here; undefined when there can. */
export function whyNoPodman() {
  if (process.getuid?.() !== 0) return "the containers are root's";
  return ["podman", "runc"].every((program) => spawnSync("which", [program]).status === 0)
    ? undefined
    : "podman and runc are not installed";
}

/** @param {string} folder */
function removeStorage(folder) {
  // Podman has its storage mounted on itself.
  spawnSync("umount", [join(folder, "storage/overlay")]);
  rmSync(folder, { recursive: true, force: true });
}

/**
 * A Podman of the test's own: its command, and the function that starts a container.
 * @param {Afterwards} t
 */
export function ownPodman(t) {
  removeLeftContainers();
  const folder = mkdtempSync(`${PODMAN_FOLDERS}/extrospect-podman-${process.pid}-`);
  const hadCache = existsSync(CACHE);
  const program = podmanIn(folder);
  const podman = (/** @type {string[]} */ ...args) =>
    execFileSync("podman", [...program.slice(1), ...args], {
      cwd: "/",
      encoding: "utf8",
      timeout: 60_000,
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  /** @type {string[]} */
  const names = [];
  t.after(() => {
    for (const name of names) podman("rm", "--force", "--ignore", "--time", "0", name);
    removeStorage(folder);
    // Its remains outside of its storage: groups, unless other containers are in them, and a cache.
    const parents = ["/sys/fs/cgroup", ...readdirSync("/sys/fs/cgroup").map((name) => join("/sys/fs/cgroup", name))];
    spawnSync(
      "rmdir",
      parents.flatMap((parent) => [join(parent, "libpod_parent/conmon"), join(parent, "libpod_parent")]),
    );
    if (!hadCache) {
      rmSync(CACHE, { recursive: true, force: true });
      spawnSync("rmdir", [dirname(CACHE)]);
    }
  });
  // An image of empty folders; their contents are this machine's.
  for (const name of [...SHARED, "proc", "sys", "dev", "tmp", "run", "root"])
    mkdirSync(join(folder, "image", name), { recursive: true });
  execFileSync("tar", ["-C", join(folder, "image"), "-cf", join(folder, "image.tar"), "."]);
  podman("import", "--quiet", join(folder, "image.tar"), IMAGE);
  /** Its name. @param {string[]} options   its rights */
  const start = async (...options) => {
    const name = `extrospect-${process.pid}-${names.length}`;
    names.push(name);
    const volumes = SHARED.flatMap((folder) => ["--volume", `/${folder}:/${folder}:ro`]);
    const vm = ["/usr/bin/erl", ...busyShell()];
    podman(
      "run",
      "--detach",
      "--interactive",
      "--name",
      name,
      "--network",
      "none",
      "--env",
      "HOME=/root",
      ...LIMITS,
      ...volumes,
      ...options,
      IMAGE,
      ...vm,
    );
    await until("the VM in it", () => podman("logs", name).includes("ready"));
    return name;
  };
  return { program, start };
}
