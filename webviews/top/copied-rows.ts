// The rows of the table as they are shown, to be copied.

import type { CopiedTable, TableColumn, TableRow } from "../../contract/text-table.js";
import type { GridColumn } from "../grid/virtual-grid.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import type { FunctionSource } from "./function-source.js";

/** More is no longer read in a pull request. */
const MOST_ROWS = 50;
const CODE_COLUMNS = new Set(["name", "place"]);

/** @param columns those in sight */
export function copiedRows(source: FunctionSource, columns: readonly GridColumn[], heading: string): CopiedTable {
  const most = Math.min(source.count, MOST_ROWS);
  const others = source.count - most;
  return {
    heading,
    columns: columns.map(columnOf),
    rows: Array.from({ length: most }, (_, index) => rowOf(source, index, columns)),
    ...(others === 0 ? {} : { rest: SHARED_STRINGS.moreRows(others) }),
  };
}

function columnOf({ id, title, numeric }: GridColumn): TableColumn {
  return { title, kind: numeric ? "figure" : CODE_COLUMNS.has(id) ? "code" : "text" };
}

function rowOf(source: FunctionSource, index: number, columns: readonly GridColumn[]): TableRow {
  const { level = 1, expandable } = source.row(index);
  return {
    cells: columns.map(({ id }) => source.cellText(index, id)),
    depth: level - 1,
    isHead: expandable === true,
  };
}
