// The columns of both tables.

import type { FunctionTime, ProcessTime } from "../../contract/messages/time-spent.js";
import { element, nameText } from "../elements/dom.js";
import type { GridColumn } from "../grid/virtual-grid.js";
import type { SortValue } from "../grid/sorted.js";
import { decimal } from "../words/figures.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { STRINGS } from "./strings.js";
import { cpuShare, timeBar } from "./time-bar.js";
import type { TimeTableKind } from "./time-table.js";

type Words = Readonly<Record<"title" | "help", string>>;
const text = (id: string, words: Words, track: string, leastPx: number): GridColumn => ({
  id,
  ...words,
  numeric: false,
  sortable: true,
  track,
  leastPx,
});
const figure = (id: string, words: Words, leastPx: number): GridColumn => ({
  id,
  ...words,
  numeric: true,
  sortable: true,
  track: `minmax(${String(leastPx)}px, 1fr)`,
  leastPx,
});

const BY_PROCESS = STRINGS.processColumns;
const PROCESS_COLUMNS: readonly GridColumn[] = [
  text("name", BY_PROCESS.name, "minmax(200px, 3fr)", 200),
  figure("count", BY_PROCESS.count, 96),
  figure("cpu", BY_PROCESS.cpu, 96),
  figure("ready", BY_PROCESS.ready, 110),
  figure("waiting", BY_PROCESS.waiting, 120),
  figure("running", BY_PROCESS.running, 126),
  text("bar", BY_PROCESS.bar, "minmax(200px, 3fr)", 200),
];

const BY_FUNCTION = STRINGS.functionColumns;
const FUNCTION_COLUMNS: readonly GridColumn[] = [
  text("name", BY_FUNCTION.name, "minmax(220px, 3fr)", 220),
  figure("cpuSelf", BY_FUNCTION.cpuSelf, 96),
  figure("cpuTotal", BY_FUNCTION.cpuTotal, 156),
  figure("readySelf", BY_FUNCTION.readySelf, 104),
  figure("waitingSelf", BY_FUNCTION.waitingSelf, 104),
  figure("waitingTotal", BY_FUNCTION.waitingTotal, 166),
  text("bar", BY_FUNCTION.bar, "minmax(180px, 2fr)", 180),
  text("place", BY_FUNCTION.place, "minmax(120px, 1fr)", 120),
];

/** The actions for a row. */
export interface RowActions<Row> {
  activate(row: Row): void;
  menu(row: Row, x: number, y: number): void;
  copyName(row: Row): void;
}

/** @param lookedSeconds of the watch, called for each row */
export function processKind(actions: RowActions<ProcessTime>, lookedSeconds: () => number): TimeTableKind<ProcessTime> {
  const value = (row: ProcessTime, columnId: string): SortValue => {
    if (columnId === "name") return row.name;
    if (columnId === "bar") return cpuShare(timesOf(row), row.present ?? 0);
    if (columnId === "count") return row.present;
    return row[columnId as "cpu" | "ready" | "waiting" | "running"];
  };
  return {
    ...actions,
    label: STRINGS.grid.processes,
    filter: STRINGS.filter.processes,
    columns: PROCESS_COLUMNS,
    sorting: { columnId: "cpu", descending: true },
    keyOf: ({ key }) => key,
    nameOf: ({ name }) => name,
    valueOf: value,
    fill: (row, columnId, cell) => {
      if (columnId === "name") cell.append(nameText(row.name));
      else if (columnId === "bar") cell.append(...timeBar(timesOf(row), row.present ?? 0));
      else if (columnId === "count")
        cell.append(
          row.present === null || lookedSeconds() === 0
            ? STRINGS.seconds(null)
            : decimal(row.present / lookedSeconds()),
        );
      else cell.append(STRINGS.seconds(value(row, columnId) as number | null));
    },
  };
}

export function functionKind(
  actions: RowActions<FunctionTime>,
  selected: (row: FunctionTime) => void,
): TimeTableKind<FunctionTime> {
  const value = (row: FunctionTime, columnId: string): SortValue => {
    if (columnId === "name" || columnId === "place") return row[columnId];
    if (columnId === "bar") return cpuShare(totalsOf(row));
    return row[columnId as "cpuSelf" | "cpuTotal" | "readySelf" | "waitingSelf" | "waitingTotal"];
  };
  return {
    ...actions,
    selected,
    label: STRINGS.grid.functions,
    filter: STRINGS.filter.functions,
    columns: FUNCTION_COLUMNS,
    sorting: { columnId: "cpuSelf", descending: true },
    keyOf: ({ name }) => name,
    nameOf: ({ name }) => name,
    valueOf: value,
    fill: (row, columnId, cell) => {
      if (columnId === "name")
        cell.append(element("span", { class: `kind kind-${row.kind}`, "aria-hidden": "true" }), nameText(row.name));
      else if (columnId === "bar") cell.append(...timeBar(totalsOf(row)));
      else if (columnId === "place") cell.append(...(row.place === "" ? [] : [nameText(row.place, "place")]));
      else cell.append(STRINGS.seconds(value(row, columnId) as number));
      if (columnId === "place" && row.place !== "") cell.title = SHARED_STRINGS.goTo(row.place);
    },
  };
}

function timesOf({ cpu, ready, waiting }: ProcessTime): {
  readonly cpu: number;
  readonly ready: number;
  readonly waiting: number;
} {
  return { cpu, ready: ready ?? 0, waiting: waiting ?? 0 };
}

function totalsOf({ cpuTotal, readyTotal, waitingTotal }: FunctionTime): {
  readonly cpu: number;
  readonly ready: number;
  readonly waiting: number;
} {
  return { cpu: cpuTotal, ready: readyTotal, waiting: waitingTotal };
}
