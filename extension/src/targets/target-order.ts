// Which rows the view of VMs has, and in which order: none may move under the mouse without a reason. No vscode in here.

import { byUsefulness, type ListedVm } from "./target-description.js";

/** One row. Commands of the view get it as argument and read `pid`. */
export interface TargetRow extends ListedVm {
  /** It ended since the rows were last put in order. */
  readonly isGone: boolean;
  /** When that was seen, by the clock of `performance`. */
  readonly goneMs?: number;
}

/** The rows of the view, and those that are folded into one below them. */
export interface TargetList {
  readonly rows: readonly TargetRow[];
  /** VMs that ended, the latest first. */
  readonly ended: readonly TargetRow[];
}

export const NO_TARGETS: TargetList = { rows: [], ended: [] };

/**
 * For so long the row of a VM that ended stays where it was: a user who was about to click on it sees why it cannot be
 * captured.
 */
const FOLDED_AFTER_MS = 4_000;
/** Compilers and scripts are VMs, too: a machine on which they come and go must not fill the view or memory. */
const MOST_ENDED = 20;

/** A list put in order anew: the most useful ones on top, none that ended. */
export function inOrder(found: readonly ListedVm[]): TargetRow[] {
  return byUsefulness(found).map((beam) => ({ ...beam, isGone: false }));
}

/** The same rows where they were, with today's facts; VMs that ended stay, marked as gone, new ones come last. */
export function inPlace(shown: readonly TargetRow[], found: readonly ListedVm[], nowMs = 0): TargetRow[] {
  const remaining = new Map(found.map((beam) => [beam.pid, beam]));
  const kept = shown.map((row): TargetRow => {
    const beam = remaining.get(row.pid);
    remaining.delete(row.pid);
    if (beam !== undefined) return { ...beam, isGone: false };
    return { ...row, isGone: true, goneMs: row.goneMs ?? nowMs, attachable: false, cpuPct: null };
  });
  return [...kept, ...inOrder([...remaining.values()])];
}

/**
 * The list after a look. While the same VMs run, no row moves. When a VM comes, or a row of one that ended is folded, the
 * list changes anyway: then the busiest are on top again.
 */
export function afterLook(list: TargetList, found: readonly ListedVm[], nowMs: number): TargetList {
  const rows = inPlace(list.rows, found, nowMs);
  const folded = rows.filter(({ goneMs }) => goneMs !== undefined && nowMs - goneMs >= FOLDED_AFTER_MS);
  const running = new Set(found.map(({ pid }) => pid));
  folded.sort((a, b) => (b.goneMs ?? 0) - (a.goneMs ?? 0));
  const ended = [...folded, ...list.ended].filter(({ pid }) => !running.has(pid)).slice(0, MOST_ENDED);
  const known = new Set(list.rows.map(({ pid }) => pid));
  const isSame = folded.length === 0 && found.every(({ pid }) => known.has(pid));
  if (isSame) return { rows, ended };
  const stillShown = rows.filter((row) => row.isGone && !folded.includes(row));
  return { rows: [...inOrder(found), ...stillShown], ended };
}
