// The cost of being locked in: a system call of the kind that reads a VM, and the locking itself.
import { spawnSync } from "node:child_process";
import { cargo, cargoEnvironment } from "../scripts/cargo.mjs";
import { HELPER_WORKSPACE } from "../scripts/project.mjs";
import { summary } from "./stats.mjs";

/** @param {{rounds: number, progress: (text: string) => void}} wanted */
export function lockCost({ rounds, progress }) {
  /** @type {Map<string, number[]>} */
  const figures = new Map();
  for (let round = 0; round < rounds; round++) {
    const run = spawnSync(cargo(), ["run", "--quiet", "--release", "--package", "lockdown", "--example", "cost"], {
      cwd: HELPER_WORKSPACE,
      env: cargoEnvironment(),
      encoding: "utf8",
    });
    if (run.status !== 0) throw new Error(run.stderr);
    const { call_ns: call, lock_us: lock } = JSON.parse(run.stdout);
    for (const [name, value] of [
      ["a call without the lock, ns", call.without],
      ["a call while opening, ns", call.opening],
      ["a call when locked in, ns", call.locked],
      ["being locked in to open, us", lock.opening],
      ["being locked in when open, us", lock.locked],
    ]) {
      figures.set(name, [...(figures.get(name) ?? []), value]);
    }
    progress(`the lock, ${round + 1} of ${rounds}`);
  }
  return Object.fromEntries([...figures].map(([name, values]) => [name, summary(values)]));
}
