// A table of times: filtered by a text, in the order of a column.

import type { Sorting } from "../../contract/messages/sorting.js";
import { textField, type TextField } from "../elements/controls.js";
import { element } from "../elements/dom.js";
import type { GridRow } from "../grid/grid-row.js";
import { pressed, sorted, type SortValue } from "../grid/sorted.js";
import { VirtualGrid, type GridColumn, type GridSource } from "../grid/virtual-grid.js";
import { STRINGS } from "./strings.js";

/** The properties of one kind of rows. */
export interface TimeTableKind<Row> {
  readonly label: string;
  readonly filter: string;
  readonly columns: readonly GridColumn[];
  readonly sorting: Sorting;
  /** Of rows that a filter keeps apart. */
  keyOf(row: Row): string;
  nameOf(row: Row): string;
  valueOf(row: Row, columnId: string): SortValue;
  fill(row: Row, columnId: string, cell: HTMLElement): void;
  activate(row: Row, columnId: string | null): void;
  menu(row: Row, x: number, y: number): void;
  selected?(row: Row): void;
  copyName(row: Row): void;
}

export class TimeTable<Row> implements GridSource {
  readonly tools: HTMLElement;
  readonly element: HTMLElement;
  readonly #kind: TimeTableKind<Row>;
  readonly #grid: VirtualGrid;
  readonly #filterInput: TextField;
  readonly #status = element("p", { class: "quiet status", role: "status" });
  readonly #empty = element("p", { class: "quiet", hidden: true }, STRINGS.noMatch);
  #sorting: Sorting;
  #filter = "";
  #all: readonly Row[] = [];
  #rows: readonly Row[] = [];
  #places = new Map<string, number>();

  constructor(kind: TimeTableKind<Row>) {
    this.#kind = kind;
    this.#sorting = kind.sorting;
    this.#filterInput = textField(kind.filter, kind.filter, (value) => {
      this.#filter = value.toLowerCase();
      this.#arrange();
    });
    this.#grid = new VirtualGrid(kind.label, "grid", kind.columns, {
      activate: (index, columnId) => this.#at(index, (row) => kind.activate(row, columnId)),
      selected: () => this.#at(this.#grid.selectedIndex, (row) => kind.selected?.(row)),
      key: (event, index) => this.#key(event, index),
      menu: (index, x, y) => this.#at(index, (row) => kind.menu(row, x, y)),
      sort: (columnId) => {
        this.#sorting = pressed(this.#sorting, columnId, columnId === "name" || columnId === "place");
        this.#arrange();
        this.#grid.element.scrollTop = 0;
      },
    });
    this.tools = element("div", { class: "line tools" }, this.#filterInput, this.#status);
    this.element = element("div", { class: "table" }, this.tools, this.#empty, this.#grid.element);
  }

  show(rows: readonly Row[]): void {
    this.#all = rows;
    this.#arrange();
    this.#at(this.#grid.selectedIndex, (row) => this.#kind.selected?.(row));
  }

  /** Draws the rows that came into sight. */
  draw(): void {
    this.#grid.draw();
  }

  focus(): void {
    this.#grid.element.focus({ preventScroll: true });
  }

  get count(): number {
    return this.#rows.length;
  }

  row(index: number): GridRow {
    const row = this.#rows[index];
    return { key: row === undefined ? "" : this.#kind.keyOf(row) };
  }

  indexOf(key: string): number {
    return this.#places.get(key) ?? -1;
  }

  text(index: number): string {
    const row = this.#rows[index];
    return row === undefined ? "" : this.#kind.nameOf(row);
  }

  fill(index: number, columnId: string, cell: HTMLElement): void {
    this.#at(index, (row) => this.#kind.fill(row, columnId, cell));
  }

  #at(index: number, act: (row: Row) => void): void {
    const row = this.#rows[index];
    if (row !== undefined) act(row);
  }

  #key(event: KeyboardEvent, index: number): boolean {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "c") return false;
    this.#at(index, (row) => this.#kind.copyName(row));
    return true;
  }

  #arrange(): void {
    const matching = this.#all.filter((row) => this.#kind.nameOf(row).toLowerCase().includes(this.#filter));
    this.#rows = sorted(matching, this.#sorting, (row) => this.#kind.valueOf(row, this.#sorting.columnId));
    this.#places = new Map(this.#rows.map((row, index) => [this.#kind.keyOf(row), index]));
    this.#grid.showSorting(this.#sorting);
    const selected = this.#grid.selectedKey;
    this.#grid.setSource(this, this.#places.has(selected) ? selected : this.row(0).key);
    this.#empty.hidden = this.#rows.length > 0 || this.#all.length === 0;
    const status = STRINGS.status(this.#rows.length, this.#all.length);
    // It is read aloud when it changes.
    if (this.#status.textContent !== status) this.#status.textContent = status;
  }
}
