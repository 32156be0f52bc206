// All carriers as a table: the content of the map, in figures.

import type { MemoryShown } from "../../contract/messages/memory.js";
import type { CarrierPlace, MemoryResult } from "../../contract/protocol.generated.js";
import { nameText } from "../elements/dom.js";
import { percentBar } from "../elements/percent-bar.js";
import type { GridRow } from "../grid/grid-row.js";
import { VirtualGrid, type GridColumn, type GridSource } from "../grid/virtual-grid.js";
import { allocatorName, carrierAddress, carrierKey, freeBytes } from "./carriers.js";
import { size } from "./sizes.js";
import { sorted, type SortValue } from "../grid/sorted.js";
import { STRINGS } from "./strings.js";
import type { TableView, TableViews } from "./table-views.js";

type ColumnId = keyof typeof STRINGS.carrierColumns;

const figure = (id: ColumnId, px: number): GridColumn => ({
  id,
  ...STRINGS.carrierColumns[id],
  numeric: true,
  sortable: true,
  track: `minmax(${String(px)}px, 1fr)`,
  leastPx: px,
});
const text = (id: ColumnId, px: number): GridColumn => ({ ...figure(id, px), numeric: false });
const COLUMNS: readonly GridColumn[] = [
  text("allocator", 130),
  text("address", 140),
  figure("bytes", 90),
  figure("usedBytes", 90),
  figure("used", 112),
  figure("free", 90),
  figure("largestFree", 124),
  text("oneBlock", 110),
];

export class CarrierTable implements GridSource {
  readonly grid: VirtualGrid;
  readonly #view: TableView;
  #memory: MemoryResult | null = null;
  #rows: readonly CarrierPlace[] = [];
  #unsorted: readonly CarrierPlace[] = [];
  #places = new Map<string, number>();

  /** @param selected receives the key of the carrier that the user goes to */
  constructor(views: TableViews, selected: (key: string) => void) {
    this.#view = views.of("carriers", COLUMNS, { columnId: "free", descending: true });
    this.grid = new VirtualGrid(STRINGS.carrierGrid, "grid", COLUMNS, {
      activate: () => {},
      selected,
      key: () => false,
      sort: (columnId) => {
        this.#view.press(columnId);
        this.#arrange();
      },
    });
  }

  show({ memory, carriers }: MemoryShown): void {
    this.#memory = memory;
    this.#unsorted = carriers;
    this.#arrange();
  }

  /** Goes to a carrier without calling back. */
  goTo(key: string): void {
    const place = this.indexOf(key);
    if (place >= 0 && this.grid.selectedKey !== key) this.grid.select(place);
  }

  get count(): number {
    return this.#rows.length;
  }

  row(index: number): GridRow {
    const carrier = this.#rows[index];
    return { key: carrier === undefined ? "" : carrierKey(carrier) };
  }

  indexOf(key: string): number {
    return this.#places.get(key) ?? -1;
  }

  text(index: number): string {
    const carrier = this.#rows[index];
    return carrier === undefined || this.#memory === null ? "" : allocatorName(this.#memory, carrier);
  }

  fill(index: number, columnId: string, cell: HTMLElement): void {
    const carrier = this.#rows[index];
    if (carrier === undefined) return;
    const value = this.#valueOf(carrier, columnId as ColumnId);
    if (columnId === "address") return cell.append(nameText(carrierAddress(carrier)));
    if (columnId === "oneBlock") return cell.append(carrier.oneBlock ? STRINGS.oneBlock : STRINGS.manyBlocks);
    if (columnId === "allocator") return cell.append(nameText(String(value)));
    if (typeof value !== "number") return cell.append("?");
    if (columnId === "used") return cell.append(...percentBar(value, 1));
    cell.append(size(value));
  }

  #valueOf(carrier: CarrierPlace, columnId: ColumnId): SortValue {
    switch (columnId) {
      case "allocator":
        return this.#memory === null ? "" : allocatorName(this.#memory, carrier);
      case "address":
        return carrier.page;
      case "bytes":
        return carrier.bytes;
      case "usedBytes":
        return carrier.usedBytes;
      case "used":
        return carrier.usedBytes === null ? null : carrier.usedBytes / carrier.bytes;
      case "free":
        return freeBytes(carrier);
      case "largestFree":
        return carrier.largestFreeBytes;
      case "oneBlock":
        return Number(carrier.oneBlock);
    }
  }

  #arrange(): void {
    const { sorting } = this.#view;
    this.#rows = sorted(this.#unsorted, sorting, (carrier) => this.#valueOf(carrier, sorting.columnId as ColumnId));
    this.#places = new Map(this.#rows.map((carrier, index) => [carrierKey(carrier), index]));
    this.grid.showSorting(sorting);
    this.grid.setSource(this, this.grid.selectedKey);
  }
}
