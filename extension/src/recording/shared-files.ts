// Whether a process of this machine has the files that we have, or those of a container. No vscode in here.

import { readlinkSync } from "node:fs";

/** A process that this user may not inspect counts as one with other files. */
export function sharesFiles(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${String(pid)}/ns/mnt`) === readlinkSync("/proc/self/ns/mnt");
  } catch {
    return false;
  }
}
