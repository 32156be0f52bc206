// The rows of the table, and which of them in which order are shown.

import type { FrameKindName } from "../../contract/capture-answers.js";
import { FRAME_KINDS } from "../../contract/flame-data.js";
import type { Sorting } from "../../contract/messages/sorting.js";
import type { TopFunctions, TopRows } from "../../contract/messages/top.js";

export interface Shown {
  readonly sorting: Sorting;
  readonly filter: string;
  /** Empty for all. */
  readonly kind: string;
}

const MARKER = FRAME_KINDS.indexOf("marker");

export class TopTable {
  readonly #names: string[] = [];
  readonly #lower: string[] = [];
  readonly #places: string[] = [];
  readonly #kinds: number[] = [];
  #rows: TopRows | null = null;
  /** Name of the marker of a row, for rows that are no function. */
  #markerNames = new Map<number, string>();
  #calledFrom = new Map<number, string>();
  #order = new Uint32Array();
  /** Where each row is in the order; -1 when it is filtered out. */
  #positions = new Int32Array();
  #rowByKey = new Map<string, number>();

  addFunctions({ from, names, kinds, places }: TopFunctions): void {
    this.#names.length = from;
    this.#lower.length = from;
    this.#places.length = from;
    this.#kinds.length = from;
    names.forEach((name, index) => {
      this.#names.push(name);
      this.#lower.push(name.toLowerCase());
      this.#places.push(places[index] ?? "");
      this.#kinds.push(kinds[index] ?? 0);
    });
  }

  setRows(rows: TopRows, shown: Shown): void {
    this.#rows = rows;
    this.#markerNames = new Map();
    let marker = 0;
    rows.functionIndex.forEach((index, row) => {
      if (index < 0) this.#markerNames.set(row, rows.markers[marker++] ?? "");
    });
    this.#calledFrom = new Map([...rows.calledFromRows].map((row, index) => [row, rows.calledFromNames[index] ?? ""]));
    this.#rowByKey = new Map();
    this.arrange(shown);
  }

  arrange({ sorting, filter, kind }: Shown): void {
    const count = this.rowCount;
    const wanted = filter.trim().toLowerCase();
    const wantedKind = FRAME_KINDS.indexOf(kind as FrameKindName);
    const order: number[] = [];
    for (let row = 0; row < count; row++) {
      if (wantedKind >= 0 && this.#kindIndex(row) !== wantedKind) continue;
      if (wanted !== "" && !this.#lowerName(row).includes(wanted)) continue;
      order.push(row);
    }
    const compare = this.#comparison(sorting.columnId);
    const sign = sorting.descending ? -1 : 1;
    // Rows come with the largest self first; equal ones stay in that order.
    order.sort((a, b) => sign * compare(a, b) || a - b);
    this.#order = Uint32Array.from(order);
    this.#positions = new Int32Array(count).fill(-1);
    this.#order.forEach((row, position) => {
      this.#positions[row] = position;
    });
  }

  get rowCount(): number {
    return this.#rows?.functionIndex.length ?? 0;
  }

  get shownCount(): number {
    return this.#order.length;
  }

  /** Row of the answer at a position of the table. */
  rowAt(position: number): number {
    return this.#order[position] ?? -1;
  }

  keyOf(row: number): string {
    const index = this.functionIndex(row);
    return index >= 0 ? `f${index}` : `m${this.#markerNames.get(row) ?? ""}`;
  }

  /** Position of a key; -1 when it is not shown. */
  positionOf(key: string): number {
    if (this.#rowByKey.size === 0) for (let row = 0; row < this.rowCount; row++) this.#rowByKey.set(this.keyOf(row), row);
    return this.#positions[this.#rowByKey.get(key) ?? -1] ?? -1;
  }

  functionIndex(row: number): number {
    return this.#rows?.functionIndex[row] ?? -1;
  }

  name(row: number): string {
    const index = this.functionIndex(row);
    return (index >= 0 ? this.#names[index] : this.#markerNames.get(row)) ?? "";
  }

  kind(row: number): FrameKindName {
    return FRAME_KINDS[this.#kindIndex(row)] ?? "marker";
  }

  place(row: number): string {
    return this.#places[this.functionIndex(row)] ?? "";
  }

  calledFrom(row: number): string {
    return this.#calledFrom.get(row) ?? "";
  }

  self(row: number): number {
    return this.#rows?.self[row] ?? 0;
  }

  total(row: number): number {
    return this.#rows?.total[row] ?? 0;
  }

  #kindIndex(row: number): number {
    return this.#kinds[this.functionIndex(row)] ?? MARKER;
  }

  #lowerName(row: number): string {
    return this.#lower[this.functionIndex(row)] ?? this.name(row).toLowerCase();
  }

  #comparison(columnId: string): (a: number, b: number) => number {
    const text = (of: (row: number) => string) => (a: number, b: number) => {
      const [one, other] = [of(a), of(b)];
      return one < other ? -1 : one > other ? 1 : 0;
    };
    switch (columnId) {
      case "name":
        return text((row) => this.#lowerName(row));
      case "kind":
        return (a, b) => this.#kindIndex(a) - this.#kindIndex(b);
      case "place":
        return text((row) => this.place(row));
      case "total":
      case "totalSamples":
        return (a, b) => this.total(a) - this.total(b);
      default:
        return (a, b) => this.self(a) - this.self(b);
    }
  }
}
