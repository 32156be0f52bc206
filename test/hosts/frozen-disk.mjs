// A disk that hangs: a file system of its own, in a file, that the kernel freezes. What writes to it waits without end.
// Needs root.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { must } from "../must.mjs";

const SIZE = "1G";

/**
 * @param {import("./sshd.mjs").Afterwards} t
 * @returns {{folder: string, freeze: () => void, thaw: () => void}}
 */
export function freezableDisk(t) {
  const root = mkdtempSync("/var/tmp/extrospect-frozen-");
  const [image, folder] = [join(root, "image"), join(root, "disk")];
  let isFrozen = false;
  const freeze = () => {
    must("fsfreeze", "--freeze", folder);
    isFrozen = true;
  };
  const thaw = () => {
    if (isFrozen) must("fsfreeze", "--unfreeze", folder);
    isFrozen = false;
  };
  // A process that waits for the disk does not even end before it goes on.
  const end = () => {
    thaw();
    spawnSync("umount", ["--lazy", folder]);
    rmSync(root, { recursive: true, force: true });
  };
  t.after(end);
  // A file that is ended is told by its exit alone.
  process.once("exit", () => isFrozen && end());
  mkdirSync(folder);
  must("truncate", "-s", SIZE, image);
  must("mkfs.ext4", "-q", image);
  must("mount", "-o", "loop", image, folder);
  return { folder, freeze, thaw };
}
