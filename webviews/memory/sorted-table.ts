// A table of rows that are sorted by a press on a column's head, and filtered by a text.

import type { KeptTableId } from "../../contract/messages/memory.js";
import { textField } from "../elements/controls.js";
import { element } from "../elements/dom.js";
import { openMenu, type MenuItem } from "../elements/menu.js";
import type { GridRow } from "../grid/grid-row.js";
import { VirtualGrid, type GridColumn, type GridSource } from "../grid/virtual-grid.js";
import { sorted, type SortValue } from "../grid/sorted.js";
import type { TableView, TableViews } from "./table-views.js";

export interface TableColumn<Row> {
  readonly id: string;
  readonly title: string;
  readonly help: string;
  readonly leastPx: number;
  /** A text takes so many parts of the free room; a figure takes none. */
  readonly text?: number;
  value(row: Row): SortValue;
  cell(row: Row): string | Node;
}

export interface TableWords {
  readonly grid: string;
  readonly filter: string;
  readonly none: string;
  readonly noMatch: string;
  rows(shown: number, all: number): string;
}

/** How it is sorted and filtered is kept as that of this table. */
export interface TableListing {
  readonly views: TableViews;
  readonly table: KeptTableId;
  /** A column of figures, from the most on, until the user chooses another order. */
  readonly sortedBy: string;
}

/** The actions for a row. */
export interface RowActions<Row> {
  readonly label: string;
  /** Where it leads: by Enter and by a click on its link; where there are several, one is chosen from a menu. */
  targets(row: Row): readonly MenuItem[];
  /** The other entries of its menu. */
  others(row: Row): readonly MenuItem[];
}

export class SortedTable<Row> implements GridSource {
  readonly element: HTMLElement;
  readonly #grid: VirtualGrid;
  readonly #columns: readonly TableColumn<Row>[];
  readonly #words: TableWords;
  readonly #keyOf: (row: Row) => string;
  readonly #textOf: (row: Row) => string;
  readonly #actions: RowActions<Row>;
  readonly #status = element("p", { class: "quiet status", role: "status" });
  readonly #empty = element("p", { class: "quiet", hidden: true });
  readonly #filterInput;
  readonly #view: TableView;
  #all: readonly Row[] = [];
  #rows: readonly Row[] = [];
  #places = new Map<string, number>();

  /** @param textOf the text that is filtered, and that typing finds */
  constructor(
    words: TableWords,
    columns: readonly TableColumn<Row>[],
    listing: TableListing,
    keyOf: (row: Row) => string,
    textOf: (row: Row) => string,
    actions: RowActions<Row>,
  ) {
    this.#actions = actions;
    this.#words = words;
    this.#columns = columns;
    this.#keyOf = keyOf;
    this.#textOf = textOf;
    const gridColumns = columns.map(gridColumn);
    this.#view = listing.views.of(listing.table, gridColumns, { columnId: listing.sortedBy, descending: true });
    this.#grid = new VirtualGrid(words.grid, "grid", gridColumns, {
      activate: (index) => this.#activate(index),
      menu: (index, x, y) => this.#menu(index, x, y),
      selected: () => {},
      key: () => false,
      sort: (columnId) => {
        this.#view.press(columnId);
        this.#arrange();
      },
    });
    this.#filterInput = textField(words.filter, words.filter, (value) => {
      this.#view.filterBy(value);
      this.#arrange();
    });
    this.#filterInput.value = this.#view.filter;
    this.element = element(
      "div",
      { class: "tab-panel" },
      element("div", { class: "line" }, this.#filterInput, this.#status),
      this.#empty,
      this.#grid.element,
    );
  }

  show(rows: readonly Row[]): void {
    this.#all = rows;
    this.#arrange();
  }

  get count(): number {
    return this.#rows.length;
  }

  row(index: number): GridRow {
    const row = this.#rows[index];
    return { key: row === undefined ? "" : this.#keyOf(row) };
  }

  indexOf(key: string): number {
    return this.#places.get(key) ?? -1;
  }

  text(index: number): string {
    const row = this.#rows[index];
    return row === undefined ? "" : this.#textOf(row);
  }

  fill(index: number, columnId: string, cell: HTMLElement): void {
    const row = this.#rows[index];
    const column = this.#columns.find(({ id }) => id === columnId);
    if (row !== undefined && column !== undefined) cell.append(column.cell(row));
  }

  #activate(index: number): void {
    const row = this.#rows[index];
    const targets = row === undefined ? [] : this.#actions.targets(row);
    if (targets.length === 1) return targets[0]?.run();
    const { x, y } = this.#grid.placeOfSelected();
    if (targets.length > 1) openMenu(this.#actions.label, targets, x, y);
  }

  #menu(index: number, x: number, y: number): void {
    const row = this.#rows[index];
    if (row === undefined) return;
    const { targets, others, label } = this.#actions;
    const leading = targets(row).map((item, _, all) => (all.length === 1 ? { ...item, keys: "Enter" } : item));
    openMenu(label, [...leading, ...others(row)], x, y);
  }

  #arrange(): void {
    const { sorting } = this.#view;
    const matching = this.#all.filter((row) => this.#view.fits(this.#textOf(row)));
    const column = this.#columns.find(({ id }) => id === sorting.columnId);
    this.#rows = sorted(matching, sorting, (row) => column?.value(row) ?? null);
    this.#places = new Map(this.#rows.map((row, index) => [this.#keyOf(row), index]));
    this.#grid.showSorting(sorting);
    this.#grid.setSource(this, this.#grid.selectedKey === "" ? this.row(0).key : this.#grid.selectedKey);
    const hasRows = this.#all.length > 0;
    this.#grid.element.hidden = this.#filterInput.hidden = !hasRows;
    this.#empty.hidden = this.#rows.length > 0;
    this.#empty.textContent = hasRows ? this.#words.noMatch : this.#words.none;
    const status = hasRows ? this.#words.rows(this.#rows.length, this.#all.length) : "";
    // It is read aloud when it changes.
    if (this.#status.textContent !== status) this.#status.textContent = status;
  }
}

function gridColumn<Row>({ id, title, help, leastPx, text }: TableColumn<Row>): GridColumn {
  return {
    id,
    title,
    help,
    numeric: text === undefined,
    sortable: true,
    track: `minmax(${String(leastPx)}px, ${String(text ?? 1)}fr)`,
    leastPx,
  };
}
