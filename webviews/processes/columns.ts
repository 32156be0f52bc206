// The columns of the list, and the helper's sort column for each of them.

import { PROCESS_COLUMNS } from "../../contract/messages/processes.js";
import type { ProcessColumn } from "../../contract/protocol.generated.js";
import type { GridColumn } from "../grid/virtual-grid.js";
import { STRINGS } from "./strings.js";

export type ColumnId = keyof typeof STRINGS.columns;

function column(id: ColumnId, numeric: boolean, px: number, widest = `${px}px`): GridColumn {
  return {
    id,
    ...STRINGS.columns[id],
    numeric,
    sortable: sortOf(id) !== undefined,
    track: widest === `${px}px` ? widest : `minmax(${px}px, ${widest})`,
    leastPx: px,
  };
}

/** Beside a source there is room for the first few: those that matter most. */
export const COLUMNS: readonly GridColumn[] = [
  column("name", false, 260, "1.4fr"),
  column("pid", false, 92),
  column("mailbox", true, 128),
  column("memory", true, 140),
  column("reductions", true, 140),
  column("current", false, 190, "1fr"),
  column("status", false, 100),
  column("heapUsed", true, 124),
  column("garbage", true, 80),
  column("binaries", true, 84),
  column("collections", true, 68),
  column("parent", false, 92),
  column("supervisor", false, 140),
  column("application", false, 140),
];

/** Those that are not shown unless they are chosen. */
export const USUALLY_HIDDEN: readonly string[] = ["supervisor", "application"];

export const TEXT_COLUMNS: ReadonlySet<string> = new Set<ColumnId>(["name", "pid", "current", "status", "parent"]);

/** The helper's sort column for a column; undefined where it has none. */
export function sortOf(id: string): ProcessColumn | undefined {
  return PROCESS_COLUMNS.find((each) => each === id);
}
