// Which captures are beyond the limits that the user has set. No vscode in here.

import type { Groupable } from "./capture-groups.js";
import { beganUnixMs, newestFirst } from "./capture-order.js";

export interface RetentionLimits {
  /** 0: any number. */
  readonly keepAtMost: number;
  /** 0: for ever. */
  readonly keepDays: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The captures to be deleted. Pinned captures are kept and do not count; nor do files that were not read yet or cannot
 * be read: each may be pinned, or no Extrospect capture.
 * The newest are those that began last, in whatever order the rows are.
 */
export function beyondLimits<Row extends Groupable>(
  rows: readonly Row[],
  { keepAtMost, keepDays }: RetentionLimits,
  nowUnixMs: number,
): Row[] {
  const known = rows.filter(
    ({ summary }) => summary !== undefined && summary !== null && summary.isOwn && !summary.isPinned,
  );
  return newestFirst(known).filter(
    (row, index) =>
      (keepAtMost > 0 && index >= keepAtMost) || (keepDays > 0 && nowUnixMs - beganUnixMs(row) > keepDays * DAY_MS),
  );
}
