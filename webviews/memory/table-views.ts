// How each table is sorted and filtered: kept with the page, so that a window that is loaded again lists as it did before.

import type { KeptTableId, KeptTableView } from "../../contract/messages/memory.js";
import type { Sorting } from "../../contract/messages/sorting.js";
import { pressed } from "../grid/sorted.js";

/** A kept text may have been made up, and would be drawn with each snapshot. */
const LONGEST_FILTER = 200;

interface SortedColumn {
  readonly id: string;
  /** Figures are sorted from the most on, texts from the start of the alphabet on. */
  readonly numeric: boolean;
}

export class TableViews {
  readonly #saved: Readonly<Record<string, unknown>>;
  readonly #views = new Map<KeptTableId, TableView>();
  readonly #changed: () => void;

  /** @param saved the state that the page has kept, by this version or another */
  constructor(saved: unknown, changed: () => void) {
    this.#saved = typeof saved === "object" && saved !== null ? { ...saved } : {};
    this.#changed = changed;
  }

  /** @param usual the order until the user chooses another one */
  of(table: KeptTableId, columns: readonly SortedColumn[], usual: Sorting): TableView {
    const view = new TableView(columns, usual, this.#saved[table], this.#changed);
    this.#views.set(table, view);
    return view;
  }

  get kept(): Partial<Record<KeptTableId, KeptTableView>> {
    return Object.fromEntries([...this.#views].map(([table, { sorting, filter }]) => [table, { sorting, filter }]));
  }
}

/** How one table is sorted and filtered. */
export class TableView {
  readonly #columns: readonly SortedColumn[];
  readonly #changed: () => void;
  #sorting: Sorting;
  #filter: string;

  constructor(columns: readonly SortedColumn[], usual: Sorting, saved: unknown, changed: () => void) {
    this.#columns = columns;
    this.#changed = changed;
    const { sorting, filter } = members(saved);
    const { columnId, descending } = members(sorting);
    const column = columns.find(({ id }) => id === columnId);
    this.#sorting =
      column !== undefined && typeof descending === "boolean" ? { columnId: column.id, descending } : usual;
    this.#filter = typeof filter === "string" ? filter.slice(0, LONGEST_FILTER) : "";
  }

  get sorting(): Sorting {
    return this.#sorting;
  }

  /** As it was typed. */
  get filter(): string {
    return this.#filter;
  }

  /** Whether one of the texts of a row contains the typed text. */
  fits(...texts: readonly string[]): boolean {
    const sought = this.#filter.toLowerCase();
    return texts.some((text) => text.toLowerCase().includes(sought));
  }

  /** The head of a column was pressed. */
  press(columnId: string): void {
    const isText = this.#columns.find(({ id }) => id === columnId)?.numeric === false;
    this.#sorting = pressed(this.#sorting, columnId, isText);
    this.#changed();
  }

  filterBy(text: string): void {
    this.#filter = text;
    this.#changed();
  }
}

function members(saved: unknown): Readonly<Record<string, unknown>> {
  return typeof saved === "object" && saved !== null ? { ...saved } : {};
}
