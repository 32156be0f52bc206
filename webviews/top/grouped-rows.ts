// The rows of the table in their groups: which of them are open, and in which order.

import { GROUP_KINDS, type GroupKind, type TopGroup } from "../../contract/messages/top.js";

export interface GroupSums {
  readonly own: number;
  readonly self: number;
}

/** A group of rows, in the order in which they are shown. */
export interface GroupOfRows {
  readonly group: TopGroup;
  readonly key: string;
  readonly rows: readonly number[];
  readonly sums: GroupSums;
  readonly isOpen: boolean;
}

/** Users look for own code first. */
const OPEN_AT_FIRST: ReadonlySet<GroupKind> = new Set(["own"]);

export function groupKey({ kind, name }: TopGroup): string {
  return `g${kind} ${name}`;
}

/**
 * @param rows in the order in which they are shown
 * @param toggled keys of groups that are not as they are at first
 * @param opensAll whether all are open, as when a filter looks for something
 */
export function inGroups(
  rows: readonly number[],
  groups: readonly TopGroup[],
  of: { group(row: number): number; own(row: number): number; self(row: number): number },
  toggled: ReadonlySet<string>,
  opensAll: boolean,
): GroupOfRows[] {
  const members = groups.map((): number[] => []);
  for (const row of rows) members[of.group(row)]?.push(row);
  return members
    .flatMap((ofGroup, index) => {
      const group = groups[index];
      if (group === undefined || ofGroup.length === 0) return [];
      const key = groupKey(group);
      const sums = ofGroup.reduce((sum, row) => ({ own: sum.own + of.own(row), self: sum.self + of.self(row) }), {
        own: 0,
        self: 0,
      });
      return [
        { group, key, rows: ofGroup, sums, isOpen: opensAll || OPEN_AT_FIRST.has(group.kind) !== toggled.has(key) },
      ];
    })
    .sort(
      (a, b) =>
        GROUP_KINDS.indexOf(a.group.kind) - GROUP_KINDS.indexOf(b.group.kind) ||
        b.sums.own - a.sums.own ||
        b.sums.self - a.sums.self ||
        (a.key < b.key ? -1 : 1),
    );
}
