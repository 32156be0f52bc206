// A container made of the parts that every Linux has: namespaces for mounts and processes, a root of its own on top of
// this machine's, and a VM as its first process. Needs root.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openFolder } from "../../scripts/temporary-folder.mjs";
import { must } from "../must.mjs";
import { until } from "../until.mjs";
import { busyShell } from "../vms/busy-shell.mjs";

/** @typedef {import("./sshd.mjs").Afterwards} Afterwards */

// The namespace of processes is new already: the shell is its first one, and becomes the VM. In a user namespace the
// root is this machine's own, since a root on top of it takes rights that no process has there; home and temporary
// files are the container's own all the same.
const INSIDE = `set -e
mount -t tmpfs tmpfs "$1"
cd "$1"
mkdir upper work root
if [ "$3" = user ]; then mount --rbind / root; else mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root; fi
cd root
mount -t proc proc proc
mount -t tmpfs tmpfs tmp
mount --rbind /dev dev
mount -t tmpfs -o "$2" tmpfs root
pivot_root . mnt
umount -l /mnt
cd /
shift 3
exec "$@"`;

/**
 * Starts one. Nothing that is written in it is seen on this machine.
 * @param {Afterwards} t
 * @param {{userNamespace?: boolean, hasShell?: boolean, homeOptions?: string}} [how]   `homeOptions`: of the mount that is root's home there
 * @returns {Promise<{pid: number, helpers: () => number}>} the VM's process id on this machine, and how many helpers run in the container
 */
export async function startNamespaces(t, { userNamespace = false, hasShell = true, homeOptions = "mode=700" } = {}) {
  const folder = openFolder("namespaces");
  assert.ok(hasShell || !userNamespace, "that one shares its root with this machine");
  const root = join(folder, "container");
  mkdirSync(root);
  const user = userNamespace ? ["--user", "--map-root-user"] : [];
  const vm = ["/usr/bin/erl", ...busyShell()];
  const args = [
    ...user,
    "--mount",
    "--propagation",
    "private",
    "--pid",
    "--fork",
    "--kill-child",
    "/bin/sh",
    "-c",
    INSIDE,
    "inside",
    root,
    homeOptions,
    userNamespace ? "user" : "root",
    ...vm,
  ];
  const child = spawn("unshare", args, { stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => (said = `${said}${chunk}`.slice(-2000)));
  t.after(async () => {
    child.kill("SIGKILL");
    // Its first process is killed with it, and all others with that one.
    await until("the container's end", () => spawnSync("pgrep", ["-f", root]).status !== 0);
    rmSync(folder, { recursive: true, force: true });
  });
  await until("a VM in a container", () => said.includes("ready") || child.exitCode !== null);
  assert.equal(child.exitCode, null, said);
  const [pid = 0] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ").map(Number);
  assert.equal(readFileSync(`/proc/${pid}/comm`, "utf8").trim(), "beam.smp");
  // In the container's own mounts: this machine's shell is not in reach there.
  if (!hasShell) must("nsenter", `--target=${pid}`, "--mount", "/bin/rm", "/bin/sh");
  const helpers = () =>
    spawnSync("pgrep", ["--ns", String(pid), "--nslist", "pid", "-f", "serve --stdio"], { encoding: "utf8" })
      .stdout.split("\n")
      .filter(Boolean).length;
  return { pid, helpers };
}
