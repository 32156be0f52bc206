// Which captures are beyond the limits that the user has set. No vscode in here.

import type { Groupable } from "./capture-groups.js";

export interface RetentionLimits {
  /** 0: any number. */
  readonly keepAtMost: number;
  /** 0: for ever. */
  readonly keepDays: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The captures to be deleted. What is pinned is kept and counts not, and so is what was not read yet or cannot be read: it may be pinned, or none of ours.
 * @param rows the newest first
 */
export function beyondLimits<Row extends Groupable>(rows: readonly Row[], { keepAtMost, keepDays }: RetentionLimits, nowUnixMs: number): Row[] {
  const known = rows.filter(({ summary }) => summary !== undefined && summary !== null && summary.isOwn && !summary.isPinned);
  return known.filter((row, index) => {
    const at = row.summary?.startedUnixMs || row.mtime;
    return (keepAtMost > 0 && index >= keepAtMost) || (keepDays > 0 && nowUnixMs - at > keepDays * DAY_MS);
  });
}
