// The requests of a page, checked: a page may keep the state of another version of it.

import { bounded } from "../../../../contract/bounded.js";
import {
  PROCESS_COLUMNS,
  PROCESS_GROUPINGS,
  type LineWindow,
  type ProcessView,
} from "../../../../contract/messages/processes.js";

export const FIRST_VIEW: ProcessView = {
  sort: "memory",
  descending: true,
  filter: "",
  grouping: "none",
  open: [],
  onlyAlarming: false,
};
/** As many lines as the helper hands out at a time. */
export const MOST_LINES = 1000;
const LONGEST_FILTER = 200;
/** Beyond that the first ones are closed again. */
const MOST_OPEN = 1000;

/** What makes no sense in it is as before. */
export function checkedView(given: unknown, before: ProcessView = FIRST_VIEW): ProcessView {
  if (typeof given !== "object" || given === null) return before;
  const { sort, descending, filter, grouping, open, onlyAlarming } = given as Partial<
    Record<keyof ProcessView, unknown>
  >;
  return {
    sort: PROCESS_COLUMNS.find((column) => column === sort) ?? before.sort,
    descending: typeof descending === "boolean" ? descending : before.descending,
    filter: typeof filter === "string" ? filter.slice(0, LONGEST_FILTER) : before.filter,
    grouping: PROCESS_GROUPINGS.find((each) => each === grouping) ?? before.grouping,
    open: Array.isArray(open)
      ? open.filter((key): key is string => typeof key === "string").slice(-MOST_OPEN)
      : before.open,
    onlyAlarming: typeof onlyAlarming === "boolean" ? onlyAlarming : before.onlyAlarming,
  };
}

export function checkedWindow({ first, limit }: LineWindow): LineWindow {
  const whole = (value: unknown, most: number) =>
    typeof value === "number" && Number.isFinite(value) ? Math.floor(bounded(value, 0, most)) : 0;
  return { first: whole(first, 1e9), limit: Math.max(whole(limit, MOST_LINES), 1) };
}
