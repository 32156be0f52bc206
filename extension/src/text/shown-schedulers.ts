// Which schedulers of a VM may run, as pages show it. No vscode in here.

import { shownName } from "../../../contract/plain-text.js";
import type { SchedulersOnline } from "../../../contract/protocol.generated.js";

const MOST_BLOCKERS = 16;
const LONGEST_NAME = 120;

/** @param schedulers undefined in an answer of an older helper */
export function shownSchedulers(schedulers: SchedulersOnline | null | undefined): SchedulersOnline | null {
  if (schedulers === null || schedulers === undefined) return null;
  const blockers = schedulers.blockers.slice(0, MOST_BLOCKERS).map(({ pid, name }) => ({
    pid: shownName(pid, LONGEST_NAME),
    name: name === null ? null : shownName(name, LONGEST_NAME),
  }));
  return { ...schedulers, blockers };
}
