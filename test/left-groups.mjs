// Control groups of tests, as far as a run that is killed leaves them: the next test that makes one removes them.
import { existsSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Names of groups of tests, with the process id of the test. */
const OURS = /^extrospect[ -](?:test|unknowns)[ -](\d+)$/;
/** Below them, where the VM is. */
const INNER = "vm";
/** What lets the processes of a frozen group go on, so that they end. */
const THAW = { "freezer.state": "THAWED", "cgroup.freeze": "0" };

/**
 * @param {string} tree   of control groups
 * @param {(pid: string) => boolean} [isRunning]
 */
export function removeLeftGroups(tree, isRunning = (pid) => existsSync(`/proc/${pid}`)) {
  for (const name of readdirSync(tree)) {
    const [, pid] = OURS.exec(name) ?? [];
    if (pid === undefined || isRunning(pid)) continue;
    const group = join(tree, name);
    try {
      for (const [file, value] of Object.entries(THAW))
        if (existsSync(join(group, file))) writeFileSync(join(group, file), value);
      for (const folder of [join(group, INNER), group]) if (existsSync(folder)) rmdirSync(folder);
    } catch {
      // Its processes have not ended yet: the next test removes it.
    }
  }
}
