// The rows of the table, and which of them in which order are shown.

import type { FrameKindName } from "../../contract/capture-answers.js";
import { FRAME_KINDS } from "../../contract/flame-data.js";
import type { Sorting } from "../../contract/messages/sorting.js";
import type { TopFunctions, TopRows } from "../../contract/messages/top.js";
import type { GridRow } from "../grid/grid-row.js";
import { groupKey, inGroups, type GroupOfRows } from "./grouped-rows.js";

export interface Shown {
  readonly sorting: Sorting;
  readonly filter: string;
  /** Empty for all. */
  readonly kind: string;
  readonly isGrouped: boolean;
  /** Keys of groups that are not as they are at first. */
  readonly toggled: ReadonlySet<string>;
}

/** The largest figures of the rows that fit the filter. */
export interface LargestFigures {
  readonly own: number;
  readonly self: number;
  readonly total: number;
}

const HEAD = -1;
const MARKER = FRAME_KINDS.indexOf("marker");

export class TopTable {
  readonly #names: string[] = [];
  readonly #lower: string[] = [];
  readonly #places: string[] = [];
  readonly #kinds: number[] = [];
  #rows: TopRows | null = null;
  /** Names and kinds of rows that are no function. */
  #others = new Map<number, { readonly name: string; readonly kind: number }>();
  #calledFrom = new Map<number, string>();
  /** The entry at each position: a row, or -1 for the head of a group. */
  #order = new Int32Array();
  /** Where each row is in the order; -1 when it is not shown. */
  #positions = new Int32Array();
  #matching = 0;
  #largest: LargestFigures = { own: 0, self: 0, total: 0 };
  #groups: readonly GroupOfRows[] = [];
  /** Position of the head of each group. */
  #heads: readonly number[] = [];
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
    this.#others = new Map();
    rows.functionIndex.forEach((index, row) => {
      const number = this.#others.size;
      if (index < 0)
        this.#others.set(row, { name: rows.otherNames[number] ?? "", kind: rows.otherKinds[number] ?? MARKER });
    });
    this.#calledFrom = new Map([...rows.calledFromRows].map((row, index) => [row, rows.calledFromNames[index] ?? ""]));
    this.#rowByKey = new Map();
    this.arrange(shown);
  }

  arrange({ sorting, filter, kind, isGrouped, toggled }: Shown): void {
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
    this.#matching = order.length;
    this.#largest = this.#largestOf(order);
    this.#groups = isGrouped
      ? inGroups(order, this.#rows?.groups ?? [], this, toggled, wanted !== "" || wantedKind >= 0)
      : [];
    const heads: number[] = [];
    const shown = isGrouped ? [] : order;
    for (const { rows, isOpen } of this.#groups) {
      heads.push(shown.length);
      shown.push(HEAD);
      if (isOpen) for (const row of rows) shown.push(row);
    }
    this.#heads = heads;
    this.#order = Int32Array.from(shown);
    this.#positions = new Int32Array(count).fill(-1);
    this.#order.forEach((row, position) => {
      if (row !== HEAD) this.#positions[row] = position;
    });
  }

  get rowCount(): number {
    return this.#rows?.functionIndex.length ?? 0;
  }

  /** Functions that fit the filter. */
  get matchingCount(): number {
    return this.#matching;
  }

  /** What the bars are drawn by. Rows of folded groups count, so that bars keep their length when one is opened. */
  get largest(): LargestFigures {
    return this.#largest;
  }

  #largestOf(rows: readonly number[]): LargestFigures {
    let [own, self, total] = [0, 0, 0];
    for (const row of rows) {
      if (this.isOwn(row)) own = Math.max(own, this.own(row));
      self = Math.max(self, this.self(row));
      total = Math.max(total, this.total(row));
    }
    return { own, self, total };
  }

  /** Positions of the table: functions that are shown, and heads of groups. */
  get length(): number {
    return this.#order.length;
  }

  /** Row of the answer at a position of the table; -1 for the head of a group. */
  rowAt(position: number): number {
    return this.#order[position] ?? HEAD;
  }

  /** The group whose head is at a position. */
  groupAt(position: number): GroupOfRows | undefined {
    return this.#groups[this.#heads.indexOf(position)];
  }

  /** The grid's facts about a position. */
  gridRow(position: number): GridRow {
    if (this.#groups.length === 0)
      return { key: this.keyOf(this.rowAt(position)), level: 1, position: position + 1, siblings: this.length };
    const number = this.#heads.findLastIndex((head) => head <= position);
    const { key = "", rows = [], isOpen = false } = this.#groups[number] ?? {};
    const head = this.#heads[number] ?? 0;
    if (head === position)
      return { key, level: 1, position: number + 1, siblings: this.#groups.length, expandable: true, expanded: isOpen };
    return { key: this.keyOf(this.rowAt(position)), level: 2, position: position - head, siblings: rows.length };
  }

  keyOf(row: number): string {
    const index = this.functionIndex(row);
    return index >= 0 ? this.keyOfFunction(index) : `${this.kind(row)} ${this.name(row)}`;
  }

  keyOfFunction(functionIndex: number): string {
    return `f${functionIndex}`;
  }

  /** Position of a key; -1 when it is not shown. */
  positionOf(key: string): number {
    if (this.#rowByKey.size === 0)
      for (let row = 0; row < this.rowCount; row++) this.#rowByKey.set(this.keyOf(row), row);
    const ofRow = this.#positions[this.#rowByKey.get(key) ?? -1];
    return ofRow ?? this.#heads[this.#groups.findIndex((group) => group.key === key)] ?? -1;
  }

  /** The key of the group that a function of this key is in, shown or not. */
  groupKeyOf(key: string): string | undefined {
    const row = this.#rowByKey.get(key);
    const group = row === undefined ? undefined : this.#rows?.groups[this.group(row)];
    return group && groupKey(group);
  }

  functionIndex(row: number): number {
    return this.#rows?.functionIndex[row] ?? -1;
  }

  name(row: number): string {
    const index = this.functionIndex(row);
    return (index >= 0 ? this.#names[index] : this.#others.get(row)?.name) ?? "";
  }

  kind(row: number): FrameKindName {
    return FRAME_KINDS[this.#kindIndex(row)] ?? "marker";
  }

  place(row: number): string {
    return this.#places[this.functionIndex(row)] ?? "";
  }

  /** Whether it is the unnamed code inside a function. */
  isUnnamedCode(row: number): boolean {
    return this.functionIndex(row) < 0 && this.kind(row) !== "marker";
  }

  get hasUnnamedCode(): boolean {
    return [...this.#others.values()].some(({ kind }) => kind !== MARKER);
  }

  calledFrom(row: number): string {
    return this.#calledFrom.get(row) ?? "";
  }

  group(row: number): number {
    return this.#rows?.group[row] ?? 0;
  }

  /** Whether the function is of own code. */
  isOwn(row: number): boolean {
    return this.#rows?.groups[this.group(row)]?.kind === "own";
  }

  own(row: number): number {
    return this.#rows?.own[row] ?? 0;
  }

  self(row: number): number {
    return this.#rows?.self[row] ?? 0;
  }

  total(row: number): number {
    return this.#rows?.total[row] ?? 0;
  }

  #kindIndex(row: number): number {
    return this.#kinds[this.functionIndex(row)] ?? this.#others.get(row)?.kind ?? MARKER;
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
      case "own":
      case "ownSamples":
        // Other code comes behind own code, by its self time.
        return (a, b) => this.own(a) - this.own(b) || this.self(a) - this.self(b);
      default:
        return (a, b) => this.self(a) - this.self(b);
    }
  }
}
