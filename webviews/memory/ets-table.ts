// ETS tables: sorted, filtered, with their growth since the panel opened.

import type { MemoryShown, TableGrowth } from "../../contract/messages/memory.js";
import type { EtsTableMemory } from "../../contract/protocol.generated.js";
import { textField } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import type { GridRow } from "../grid/grid-row.js";
import { VirtualGrid, type GridColumn, type GridSource } from "../grid/virtual-grid.js";
import { count } from "../words/figures.js";
import { change, size, sumOf } from "./sizes.js";
import { sorted, type SortValue } from "../grid/sorted.js";
import { STRINGS } from "./strings.js";
import type { TableView, TableViews } from "./table-views.js";

type ColumnId = keyof typeof STRINGS.etsColumns;

interface Row {
  readonly key: string;
  readonly table: EtsTableMemory;
  readonly growth: TableGrowth | null;
}

const figure = (id: ColumnId, px: number): GridColumn => ({
  id,
  ...STRINGS.etsColumns[id],
  numeric: true,
  sortable: true,
  track: `minmax(${String(px)}px, 1fr)`,
  leastPx: px,
});
const text = (id: ColumnId, px: number, part = 1): GridColumn => ({
  ...figure(id, px),
  numeric: false,
  track: `minmax(${String(px)}px, ${String(part)}fr)`,
});
const COLUMNS: readonly GridColumn[] = [
  text("name", 220, 3),
  figure("items", 96),
  figure("bytes", 92),
  figure("grownItems", 128),
  figure("grownBytes", 112),
  text("owner", 110),
  text("type", 136),
  text("protection", 110),
];
/** Signs of a whole number. */
const signed = (value: number) => (value > 0 ? `+${count(value)}` : count(value));
/** A change: zero stands back. */
const changeCell = (value: number | undefined, words: (value: number) => string) =>
  value === undefined ? "" : value === 0 ? element("span", { class: "quiet" }, "0") : words(value);

export class EtsTable implements GridSource {
  readonly element: HTMLElement;
  readonly grid: VirtualGrid;
  readonly #status = element("p", { class: "quiet status", role: "status" });
  readonly #bytes = element("p", { class: "quiet" });
  readonly #empty = element("p", { class: "quiet", hidden: true });
  readonly #filterInput = textField(STRINGS.filter, STRINGS.filter, (value) => {
    this.#view.filterBy(value);
    this.#arrange();
  });
  readonly #view: TableView;
  #all: readonly Row[] = [];
  /** Tables that changed on every reading, so that they are not shown. */
  #changed = 0;
  #rows: readonly Row[] = [];
  #places = new Map<string, number>();

  constructor(views: TableViews) {
    this.#view = views.of("ets", COLUMNS, { columnId: "bytes", descending: true });
    this.#filterInput.value = this.#view.filter;
    this.grid = new VirtualGrid(STRINGS.etsGrid, "grid", COLUMNS, {
      activate: () => {},
      selected: () => {},
      key: () => false,
      sort: (columnId) => {
        this.#view.press(columnId);
        this.#arrange();
      },
    });
    this.element = element(
      "div",
      { class: "tab-panel" },
      element("div", { class: "line" }, this.#filterInput, this.#status, this.#bytes),
      this.#empty,
      this.grid.element,
    );
  }

  show({ memory, growth }: MemoryShown): void {
    const seen = new Map<string, number>();
    this.#changed = memory.rejected.tables;
    this.#all = memory.ets.map((table, index) => {
      const name = JSON.stringify([table.name, table.owner, table.type]);
      const before = seen.get(name) ?? 0;
      seen.set(name, before + 1);
      return { key: `${name} ${String(before)}`, table, growth: growth[index] ?? null };
    });
    this.#arrange();
  }

  get count(): number {
    return this.#rows.length;
  }

  row(index: number): GridRow {
    return { key: this.#rows[index]?.key ?? "" };
  }

  indexOf(key: string): number {
    return this.#places.get(key) ?? -1;
  }

  text(index: number): string {
    return this.#rows[index]?.table.name ?? "";
  }

  fill(index: number, columnId: string, cell: HTMLElement): void {
    const row = this.#rows[index];
    if (row === undefined) return;
    const { table, growth } = row;
    switch (columnId as ColumnId) {
      case "name": {
        const shown = nameText(table.name);
        shown.title = table.name;
        cell.append(shown);
        if (!table.named)
          cell.append(element("span", { class: "quiet mark", title: STRINGS.unnamedHelp }, STRINGS.unnamed));
        if (growth?.isNew === true)
          cell.append(element("span", { class: "mark", title: STRINGS.isNewHelp }, STRINGS.isNew));
        return;
      }
      case "owner":
        return cell.append(nameText(table.owner));
      case "type":
        return cell.append(nameText(table.type));
      case "protection":
        return cell.append(nameText(table.protection));
      case "items":
        return cell.append(count(table.items));
      case "bytes":
        return cell.append(size(table.bytes));
      case "grownItems":
        return cell.append(changeCell(growth?.items, signed));
      case "grownBytes":
        return cell.append(changeCell(growth?.bytes, change));
    }
  }

  #arrange(): void {
    const { sorting } = this.#view;
    const matching = this.#all.filter(({ table }) => this.#view.fits(table.name, table.owner, table.type));
    this.#rows = sorted(matching, sorting, (row) => valueOf(row, sorting.columnId as ColumnId));
    this.#places = new Map(this.#rows.map(({ key }, index) => [key, index]));
    this.grid.showSorting(sorting);
    this.grid.setSource(this, this.grid.selectedKey === "" ? this.row(0).key : this.grid.selectedKey);
    this.grid.element.hidden = this.#all.length === 0;
    this.#filterInput.hidden = this.#all.length === 0;
    this.#empty.hidden = this.#rows.length > 0;
    this.#empty.textContent = this.#all.length === 0 ? STRINGS.noTables(this.#changed) : STRINGS.noMatch;
    const hasTables = this.#all.length > 0;
    this.#bytes.textContent = hasTables ? size(sumOf(this.#rows, ({ table }) => table.bytes)) : "";
    const status = hasTables ? STRINGS.etsStatus(this.#rows.length, this.#all.length) : "";
    // It is read aloud when it changes.
    if (this.#status.textContent !== status) this.#status.textContent = status;
  }
}

function valueOf({ table, growth }: Row, columnId: ColumnId): SortValue {
  switch (columnId) {
    case "name":
      return table.name;
    case "owner":
      return table.owner;
    case "type":
      return table.type;
    case "protection":
      return table.protection;
    case "items":
      return table.items;
    case "bytes":
      return table.bytes;
    case "grownItems":
      return growth?.items ?? null;
    case "grownBytes":
      return growth?.bytes ?? null;
  }
}
