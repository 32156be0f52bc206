// Code by module: how much each loaded module has, and how much constants.

import type { MemoryShown } from "../../contract/messages/memory.js";
import type { ModuleMemory } from "../../contract/protocol.generated.js";
import { textField } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { percentBar } from "../elements/percent-bar.js";
import type { GridRow } from "../grid/grid-row.js";
import { VirtualGrid, type GridColumn, type GridSource } from "../grid/virtual-grid.js";
import { size, sumOf } from "./sizes.js";
import { sorted, type SortValue } from "../grid/sorted.js";
import { STRINGS } from "./strings.js";
import type { TableView, TableViews } from "./table-views.js";

const COLUMNS: readonly GridColumn[] = [
  {
    id: "module",
    ...STRINGS.codeColumns.module,
    numeric: false,
    sortable: true,
    track: "minmax(220px, 3fr)",
    leastPx: 220,
  },
  {
    id: "bytes",
    ...STRINGS.codeColumns.bytes,
    numeric: true,
    sortable: true,
    track: "minmax(100px, 1fr)",
    leastPx: 100,
  },
  {
    id: "literals",
    ...STRINGS.codeColumns.literals,
    numeric: true,
    sortable: true,
    track: "minmax(100px, 1fr)",
    leastPx: 100,
  },
  {
    id: "share",
    ...STRINGS.codeColumns.share,
    numeric: true,
    sortable: true,
    track: "minmax(140px, 2fr)",
    leastPx: 140,
  },
];

export class CodeTable implements GridSource {
  readonly element: HTMLElement;
  readonly #grid: VirtualGrid;
  readonly #status = element("p", { class: "quiet status", role: "status" });
  readonly #bytes = element("p", { class: "quiet" });
  readonly #empty = element("p", { class: "quiet", hidden: true });
  readonly #filterInput = textField(STRINGS.codeFilter, STRINGS.codeFilter, (value) => {
    this.#view.filterBy(value);
    this.#arrange();
  });
  readonly #view: TableView;
  #all: readonly ModuleMemory[] = [];
  #isKnown = false;
  #total = 0;
  #rows: readonly ModuleMemory[] = [];
  #places = new Map<string, number>();

  constructor(views: TableViews) {
    this.#view = views.of("code", COLUMNS, { columnId: "bytes", descending: true });
    this.#filterInput.value = this.#view.filter;
    this.#grid = new VirtualGrid(STRINGS.codeGrid, "grid", COLUMNS, {
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
      this.#grid.element,
    );
  }

  show({ memory: { code } }: MemoryShown): void {
    this.#all = code ?? [];
    this.#isKnown = code !== null;
    this.#total = sumOf(this.#all, ({ bytes }) => bytes);
    this.#arrange();
  }

  get count(): number {
    return this.#rows.length;
  }

  row(index: number): GridRow {
    return { key: this.text(index) };
  }

  indexOf(key: string): number {
    return this.#places.get(key) ?? -1;
  }

  text(index: number): string {
    return this.#rows[index]?.module ?? "";
  }

  fill(index: number, columnId: string, cell: HTMLElement): void {
    const row = this.#rows[index];
    if (row === undefined) return;
    if (columnId === "module") cell.append(nameText(row.module));
    else if (columnId === "bytes") cell.append(size(row.bytes));
    else if (columnId === "literals") cell.append(size(row.literal_bytes));
    else cell.append(...percentBar(row.bytes, this.#total));
  }

  #arrange(): void {
    const { sorting } = this.#view;
    const matching = this.#all.filter(({ module }) => this.#view.fits(module));
    this.#rows = sorted(matching, sorting, (row) => valueOf(row, sorting.columnId));
    this.#places = new Map(this.#rows.map(({ module }, index) => [module, index]));
    this.#grid.showSorting(sorting);
    this.#grid.setSource(this, this.#grid.selectedKey === "" ? this.row(0).key : this.#grid.selectedKey);
    this.#grid.element.hidden = this.#filterInput.hidden = !this.#isKnown;
    this.#empty.hidden = this.#rows.length > 0;
    this.#empty.textContent = this.#isKnown ? STRINGS.noModule : STRINGS.noCode;
    this.#bytes.textContent = this.#isKnown ? size(sumOf(this.#rows, ({ bytes }) => bytes)) : "";
    const status = this.#isKnown ? STRINGS.codeStatus(this.#rows.length, this.#all.length) : "";
    // It is read aloud when it changes.
    if (this.#status.textContent !== status) this.#status.textContent = status;
  }
}

function valueOf({ module, bytes, literal_bytes: literals }: ModuleMemory, columnId: string): SortValue {
  if (columnId === "module") return module;
  return columnId === "literals" ? literals : bytes;
}
