// The table of allocators: each can be opened for those of its carriers that have most free.

import type { MemoryShown } from "../../contract/messages/memory.js";
import type { AllocatorMemory, CarrierPlace } from "../../contract/protocol.generated.js";
import { nameText } from "../elements/dom.js";
import { percentBar } from "../elements/percent-bar.js";
import type { GridRow } from "../grid/grid-row.js";
import { VirtualGrid, type GridColumn, type GridSource } from "../grid/virtual-grid.js";
import { count, hundredths } from "../words/figures.js";
import { carrierAddress, carrierKey, freeBytes } from "./carriers.js";
import { size } from "./sizes.js";
import { sorted, type SortValue } from "../grid/sorted.js";
import { STRINGS } from "./strings.js";
import type { TableView, TableViews } from "./table-views.js";

type ColumnId = keyof typeof STRINGS.allocatorColumns;
interface Row {
  readonly allocator: AllocatorMemory;
  readonly carrier: CarrierPlace | null;
  readonly position: number;
  readonly siblings: number;
}

const WORST_CARRIERS = 10;
const figure = (id: ColumnId, px: number): GridColumn => ({
  id,
  ...STRINGS.allocatorColumns[id],
  numeric: true,
  sortable: true,
  track: `minmax(${String(px)}px, 1fr)`,
  leastPx: px,
});
const COLUMNS: readonly GridColumn[] = [
  {
    id: "name",
    ...STRINGS.allocatorColumns.name,
    numeric: false,
    sortable: true,
    track: "minmax(190px, 2fr)",
    leastPx: 190,
  },
  figure("carriersBytes", 92),
  figure("resident", 112),
  figure("blocks", 92),
  figure("used", 112),
  figure("free", 92),
  figure("largestFree", 124),
  figure("fragmentation", 136),
  figure("carriers", 84),
  figure("pooled", 96),
  figure("oneBlock", 124),
];

export class AllocatorTable implements GridSource {
  readonly grid: VirtualGrid;
  readonly #view: TableView;
  #shown: MemoryShown | null = null;
  readonly #open = new Set<string>();
  #rows: Row[] = [];
  #places = new Map<string, number>();

  constructor(views: TableViews) {
    this.#view = views.of("allocators", COLUMNS, { columnId: "carriersBytes", descending: true });
    this.grid = new VirtualGrid(STRINGS.allocatorGrid, "treegrid", COLUMNS, {
      activate: (index) => this.#toggle(index),
      toggle: (index) => this.#toggle(index),
      selected: () => {},
      key: () => false,
      sort: (columnId) => {
        this.#view.press(columnId);
        this.#arrange();
      },
    });
  }

  show(shown: MemoryShown): void {
    this.#shown = shown;
    this.#arrange();
  }

  get count(): number {
    return this.#rows.length;
  }

  row(index: number): GridRow {
    const row = this.#rows[index];
    if (row === undefined) return { key: "" };
    const { allocator, carrier, position, siblings } = row;
    if (carrier !== null) return { key: carrierKey(carrier), level: 2, position, siblings };
    return {
      key: allocator.name,
      level: 1,
      position,
      siblings,
      expandable: this.#carriersOf(allocator).length > 0,
      expanded: this.#open.has(allocator.name),
    };
  }

  indexOf(key: string): number {
    return this.#places.get(key) ?? -1;
  }

  text(index: number): string {
    const { allocator, carrier } = this.#rows[index] ?? {};
    return carrier ? carrierAddress(carrier) : (allocator?.name ?? "");
  }

  fill(index: number, columnId: string, cell: HTMLElement): void {
    const row = this.#rows[index];
    if (row === undefined) return;
    if (columnId === "name") {
      const name = nameText(this.text(index));
      if (row.carrier !== null) name.title = STRINGS.carrierAt(name.textContent);
      return cell.append(name);
    }
    const value = valueOf(row, columnId as ColumnId);
    if (typeof value !== "number") return cell.append(value === null && row.carrier === null ? "?" : "");
    switch (columnId as ColumnId) {
      case "used":
        return cell.append(...percentBar(value, 1));
      case "fragmentation":
        return cell.append(hundredths(value));
      case "carriers":
      case "pooled":
        return cell.append(count(value));
      default:
        return cell.append(size(value));
    }
  }

  #toggle(index: number): void {
    const row = this.#rows[index];
    if (row === undefined || row.carrier !== null) return;
    const { name } = row.allocator;
    if (!this.#open.delete(name)) this.#open.add(name);
    this.#arrange();
  }

  #carriersOf(allocator: AllocatorMemory): CarrierPlace[] {
    const shown = this.#shown;
    if (shown === null) return [];
    const own = shown.carriers.filter((carrier) => shown.memory.allocators[carrier.allocator] === allocator);
    return sorted(own, { columnId: "free", descending: true }, freeBytes).slice(0, WORST_CARRIERS);
  }

  #arrange(): void {
    const { sorting } = this.#view;
    const allocators = this.#shown?.memory.allocators ?? [];
    const top = allocators.map((allocator): Row => ({
      allocator,
      carrier: null,
      position: 0,
      siblings: allocators.length,
    }));
    const ordered = sorted(top, sorting, (row) => valueOf(row, sorting.columnId as ColumnId));
    this.#rows = ordered.flatMap((row, index) => {
      const below = this.#open.has(row.allocator.name) ? this.#carriersOf(row.allocator) : [];
      const rows = below.map((carrier, at): Row => ({
        allocator: row.allocator,
        carrier,
        position: at + 1,
        siblings: below.length,
      }));
      return [{ ...row, position: index + 1 }, ...rows];
    });
    this.#places = new Map(
      this.#rows.map((row, index) => [row.carrier === null ? row.allocator.name : carrierKey(row.carrier), index]),
    );
    this.grid.showSorting(sorting);
    this.grid.setSource(this, this.grid.selectedKey === "" ? this.row(0).key : this.grid.selectedKey);
  }
}

/** Null: not known. An empty text: a carrier has nothing of the kind. */
function valueOf({ allocator, carrier }: Row, columnId: ColumnId): SortValue {
  if (carrier !== null) return carrierValue(carrier, columnId);
  const free = allocator.carriers_bytes - allocator.blocks_bytes;
  switch (columnId) {
    case "name":
      return allocator.name;
    case "carriersBytes":
      return allocator.carriers_bytes;
    case "resident":
      return allocator.resident_bytes;
    case "blocks":
      return allocator.blocks_bytes;
    case "used":
      return allocator.carriers_bytes === 0 ? 0 : allocator.blocks_bytes / allocator.carriers_bytes;
    case "free":
      return free;
    case "largestFree":
      return allocator.largest_free_bytes;
    case "fragmentation":
      return allocator.fragmentation;
    case "carriers":
      return allocator.carriers;
    case "pooled":
      return allocator.pooled_carriers;
    case "oneBlock":
      return allocator.one_block_carriers_bytes;
  }
}

function carrierValue(carrier: CarrierPlace, columnId: ColumnId): SortValue {
  const free = freeBytes(carrier);
  switch (columnId) {
    case "carriersBytes":
      return carrier.bytes;
    case "blocks":
      return carrier.usedBytes;
    case "used":
      return carrier.usedBytes === null ? null : carrier.usedBytes / carrier.bytes;
    case "free":
      return free;
    case "largestFree":
      return carrier.largestFreeBytes;
    case "fragmentation":
      return free === null || carrier.largestFreeBytes === null
        ? null
        : free === 0
          ? 0
          : (free - carrier.largestFreeBytes) / free;
    case "oneBlock":
      return carrier.oneBlock ? carrier.bytes : "";
    default:
      return "";
  }
}
