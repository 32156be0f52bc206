// The tables of binaries: their holders, the binaries themselves, those that small parts keep alive, and their
// allocators.

import type {
  AllocatedRow,
  BinaryHolder,
  BinaryProcess,
  BinaryRow,
  KeptBinaryRow,
} from "../../contract/protocol.generated.js";
import { element, nameText } from "../elements/dom.js";
import type { MenuItem } from "../elements/menu.js";
import { count } from "../words/figures.js";
import { BINARY_STRINGS } from "./binary-strings.js";
import { size } from "./sizes.js";
import { SortedTable, type RowActions, type TableColumn, type TableWords } from "./sorted-table.js";
import type { SortValue } from "../grid/sorted.js";
import type { TableViews } from "./table-views.js";

type ColumnWords = Record<string, { readonly title: string; readonly help: string }>;

/** A figure, written by `write`; an unknown one is a question mark. */
function figure<Row, Id extends string>(
  words: ColumnWords & Record<Id, unknown>,
  id: Id,
  leastPx: number,
  value: (row: Row) => number | null,
  write: (value: number) => string = count,
): TableColumn<Row> {
  return { id, ...wordsOf(words, id), leastPx, value, cell: (row) => figureText(value(row), write) };
}

function figureText(value: number | null, write: (value: number) => string): string {
  return value === null ? "?" : write(value);
}

function words<Row, Id extends string>(
  named: ColumnWords & Record<Id, unknown>,
  id: Id,
  leastPx: number,
  parts: number,
  value: (row: Row) => SortValue,
  cell: (row: Row) => string | Node,
): TableColumn<Row> {
  return { id, ...wordsOf(named, id), leastPx, text: parts, value, cell };
}

function wordsOf(named: ColumnWords, id: string): { readonly title: string; readonly help: string } {
  return named[id] ?? { title: "", help: "" };
}

/** Which binary it is. */
function addressOf<Row extends { readonly id: string }>(named: ColumnWords & Record<"id", unknown>): TableColumn<Row> {
  return words(
    named,
    "id",
    150,
    1,
    ({ id }: Row) => id,
    ({ id }: Row) => nameText(id),
  );
}

const who = ({ pid, name }: BinaryHolder) => (name === null ? pid : `${pid} ${name}`);

/** Names of holders, cut by the cell; all of them are in its tooltip. */
function holdersText({
  holders,
  holders_left_out: more,
}: {
  readonly holders: readonly BinaryHolder[];
  readonly holders_left_out: number;
}): string {
  const all = holders.map(who).join(", ");
  return more === 0 ? all : BINARY_STRINGS.andMore(all, more);
}

/** The targets that the tables lead to. */
export interface BinaryTableEvents {
  /** @param pid as the node prints it */
  showProcess(pid: string): void;
  copy(text: string): void;
}

function rowActions<Row>(
  { showProcess, copy }: BinaryTableEvents,
  processes: (row: Row) => readonly BinaryHolder[],
  copied: (row: Row) => { readonly label: string; readonly text: string } | null,
): RowActions<Row> {
  return {
    label: BINARY_STRINGS.rowMenu,
    targets: (row) =>
      processes(row).map((holder): MenuItem => ({
        label: BINARY_STRINGS.showProcess(who(holder)),
        keys: "",
        run: () => showProcess(holder.pid),
      })),
    others: (row) => {
      const it = copied(row);
      return it === null ? [] : [{ label: it.label, keys: "", run: () => copy(it.text) }];
    },
  };
}

const address = ({ id }: { readonly id: string }) => ({ label: BINARY_STRINGS.copyAddress, text: id });

/** A name that leads to a process, which a click does too. */
function asLink(text: string, isLink = true): HTMLElement {
  const shown = nameText(text, isLink ? "name place" : "name");
  shown.title = isLink ? BINARY_STRINGS.showProcess(text) : text;
  return shown;
}

function withTitle(text: string): Node {
  const shown = nameText(text);
  shown.title = text;
  return shown;
}

export function holderTable(views: TableViews, events: BinaryTableEvents): SortedTable<BinaryProcess> {
  const { holderColumns: names } = BINARY_STRINGS;
  return new SortedTable<BinaryProcess>(
    tableWords(BINARY_STRINGS.holders),
    [
      words(
        names,
        "pid",
        110,
        1,
        ({ pid }) => pid,
        ({ pid }) => asLink(pid),
      ),
      words(
        names,
        "name",
        180,
        3,
        ({ name }) => name,
        ({ name }) => withTitle(name ?? ""),
      ),
      figure(names, "bytes", 92, ({ bytes }) => bytes, size),
      figure(names, "own", 112, ({ own_bytes: own }) => own, size),
      figure(names, "binaries", 96, ({ binaries }) => binaries),
      figure(names, "references", 112, ({ references }) => references),
    ],
    { views, table: "binaryHolders", sortedBy: "bytes" },
    ({ pid }) => pid,
    who,
    rowActions<BinaryProcess>(
      events,
      (row) => [row],
      ({ pid }) => ({ label: BINARY_STRINGS.copyPid, text: pid }),
    ),
  );
}

export function listTable(views: TableViews, events: BinaryTableEvents): SortedTable<BinaryRow> {
  const { listColumns: names } = BINARY_STRINGS;
  return new SortedTable<BinaryRow>(
    tableWords(BINARY_STRINGS.list),
    [
      addressOf(names),
      figure(names, "bytes", 92, ({ bytes }) => bytes, size),
      figure(names, "refc", 104, ({ refc }) => refc),
      figure(names, "references", 112, ({ references }) => references),
      figure(names, "others", 104, ({ other_references: others }) => others),
      words(
        names,
        "holders",
        220,
        4,
        (row: BinaryRow) => holdersText(row),
        (row) => {
          const shown = element("span", {}, holdersLink(row));
          if (row.appended)
            shown.append(
              element("span", { class: "quiet mark", title: BINARY_STRINGS.appendedHelp }, BINARY_STRINGS.appended),
            );
          return shown;
        },
      ),
    ],
    { views, table: "binaryList", sortedBy: "bytes" },
    ({ id }) => id,
    (row) => `${row.id} ${holdersText(row)}`,
    rowActions<BinaryRow>(events, ({ holders }) => holders, address),
  );
}

const keptForNothing = ({ bytes, used_bytes: used }: KeptBinaryRow) => bytes - used;

export function keptTable(views: TableViews, events: BinaryTableEvents): SortedTable<KeptBinaryRow> {
  const { keptColumns: names } = BINARY_STRINGS;
  return new SortedTable<KeptBinaryRow>(
    tableWords(BINARY_STRINGS.kept),
    [
      addressOf(names),
      figure(names, "bytes", 92, ({ bytes }) => bytes, size),
      figure(names, "used", 92, ({ used_bytes: used }) => used, size),
      figure(names, "waste", 112, keptForNothing, size),
      words(
        names,
        "way",
        200,
        2,
        ({ live_references: live }) => live,
        ({ live_references: live }) => (live === 0 ? BINARY_STRINGS.isGarbage : BINARY_STRINGS.isPart),
      ),
      figure(names, "unseen", 140, ({ refc, references }) => Math.max(refc - references, 0)),
      words(names, "holders", 220, 3, (row: KeptBinaryRow) => holdersText(row), holdersLink),
    ],
    { views, table: "binariesKept", sortedBy: "waste" },
    ({ id }) => id,
    (row) => `${row.id} ${holdersText(row)}`,
    rowActions<KeptBinaryRow>(events, ({ holders }) => holders, address),
  );
}

export function allocatedTable(views: TableViews, events: BinaryTableEvents): SortedTable<AllocatedRow> {
  const { allocatedColumns: names } = BINARY_STRINGS;
  return new SortedTable<AllocatedRow>(
    tableWords(BINARY_STRINGS.allocated),
    [
      words(names, "by", 220, 3, allocatedBy, (row) => {
        const shown = element("span", {}, asLink(allocatedBy(row), processOf(row).length > 0));
        if (row.ended === true)
          shown.append(element("span", { class: "mark", title: BINARY_STRINGS.endedHelp }, BINARY_STRINGS.ended));
        return shown;
      }),
      words(
        names,
        "library",
        130,
        1,
        ({ library }) => library,
        ({ library }) => withTitle(library ?? ""),
      ),
      words(
        names,
        "allocator",
        130,
        1,
        ({ allocator }) => allocator,
        ({ allocator }) => nameText(allocator),
      ),
      figure(names, "blocks", 96, ({ blocks }) => blocks),
      figure(names, "bytes", 92, ({ bytes }) => bytes, size),
    ],
    { views, table: "binariesAllocated", sortedBy: "bytes" },
    (row) => JSON.stringify([row.allocator, row.by, row.pid, row.library]),
    (row) => `${allocatedBy(row)} ${row.library ?? ""}`,
    rowActions<AllocatedRow>(events, processOf, ({ pid }) =>
      pid === null ? null : { label: BINARY_STRINGS.copyPid, text: pid },
    ),
  );
}

/** One that has ended leads nowhere. */
function processOf({ by, pid, name, ended }: AllocatedRow): BinaryHolder[] {
  return by === "process" && pid !== null && ended !== true ? [{ pid, name }] : [];
}

/** All holders, which are chosen from where there are several. */
function holdersLink(row: {
  readonly holders: readonly BinaryHolder[];
  readonly holders_left_out: number;
}): HTMLElement {
  const text = holdersText(row);
  const shown = nameText(text, row.holders.length > 0 ? "name place" : "name");
  shown.title = text;
  return shown;
}

function allocatedBy({ by, pid, name }: AllocatedRow): string {
  switch (by) {
    case "process":
      return who({ pid: pid ?? "?", name });
    case "port":
      return BINARY_STRINGS.aPort;
    case "system":
      return BINARY_STRINGS.theVm;
    case "unknown":
      return BINARY_STRINGS.notNoted;
  }
}

function tableWords(own: { readonly grid: string; readonly none: string }): TableWords {
  const { filter, noMatch, rows } = BINARY_STRINGS;
  return { ...own, filter, noMatch, rows };
}
