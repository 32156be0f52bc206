// Programs of the system that have to work for a test to begin.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

/** Its output; throws with all of its output when it fails. @param {string} command @param {string[]} args */
export function must(command, ...args) {
  const run = spawnSync(command, args, { encoding: "utf8" });
  assert.equal(run.status, 0, `${command} ${args.join(" ")}: ${run.stdout}${run.stderr}`);
  return run.stdout;
}
