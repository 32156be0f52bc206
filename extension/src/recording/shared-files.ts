// Whether a process of this machine has the files that we have, or those of a container. No vscode in here.

import { readlinkSync } from "node:fs";

/** One that may not be asked counts as one that has other files. */
export function sharesFiles(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${String(pid)}/ns/mnt`) === readlinkSync("/proc/self/ns/mnt");
  } catch {
    return false;
  }
}
