// The table's rows as the grid draws them.

import { element, nameText } from "../elements/dom.js";
import { mfaText } from "../elements/mfa-text.js";
import { percentBar } from "../elements/percent-bar.js";
import type { GridRow } from "../grid/grid-row.js";
import type { GridSource } from "../grid/virtual-grid.js";
import { count, percent } from "../words/figures.js";
import { KIND_WORDS } from "../words/frame-kinds.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { STRINGS } from "./strings.js";
import type { GroupOfRows } from "./grouped-rows.js";
import type { TopTable } from "./top-table.js";

export class FunctionSource implements GridSource {
  constructor(
    private readonly table: TopTable,
    /** The base of 100%. */
    private readonly of: number,
  ) {}

  get count(): number {
    return this.table.length;
  }

  row(index: number): GridRow {
    return this.table.gridRow(index);
  }

  indexOf(key: string): number {
    return this.table.positionOf(key);
  }

  text(index: number): string {
    const group = this.table.groupAt(index);
    return group === undefined ? this.table.name(this.table.rowAt(index)) : STRINGS.group(group.group);
  }

  /** A cell without its looks. */
  cellText(index: number, columnId: string): string {
    const row = this.table.rowAt(index);
    const group = this.table.groupAt(index);
    if (row < 0) return group === undefined ? "" : this.#groupText(group, columnId);
    switch (columnId) {
      case "name": {
        const [name, calledFrom] = [this.table.name(row), this.table.calledFrom(row)];
        return calledFrom === "" ? name : `${name} (${STRINGS.calledFrom(calledFrom)})`;
      }
      case "place":
        return this.table.place(row);
      default:
        return this.#factText(row, columnId);
    }
  }

  /** Of the columns that have neither a bar nor a name. */
  #factText(row: number, columnId: string): string {
    const { table } = this;
    switch (columnId) {
      case "kind":
        return KIND_WORDS[table.kind(row)];
      case "own":
        return table.isOwn(row) ? percent(table.own(row), this.of) : "";
      case "ownSamples":
        return table.isOwn(row) ? count(table.own(row)) : "";
      case "self":
        return percent(table.self(row), this.of);
      case "selfSamples":
        return count(table.self(row));
      case "total":
        return percent(table.total(row), this.of);
      case "totalSamples":
        return count(table.total(row));
      default:
        return "";
    }
  }

  fill(index: number, columnId: string, cell: HTMLElement): void {
    const { table } = this;
    const row = table.rowAt(index);
    if (row < 0) {
      const group = table.groupAt(index);
      if (group !== undefined) this.#fillGroup(group, columnId, cell);
      return;
    }
    switch (columnId) {
      case "name": {
        const [name, kind, calledFrom] = [table.name(row), table.kind(row), table.calledFrom(row)];
        const text = mfaText(name, kind === "marker" ? "name marker" : "name");
        text.title = name;
        cell.append(element("span", { class: `kind kind-${kind}`, "aria-hidden": "true" }), text);
        if (calledFrom !== "") cell.append(nameText(STRINGS.calledFrom(calledFrom), "called-from quiet"));
        return;
      }
      case "own":
        if (table.isOwn(row)) this.#fillShare(table.own(row), table.largest.own, cell);
        return;
      case "self":
        return this.#fillShare(table.self(row), table.largest.self, cell);
      case "total":
        return this.#fillShare(table.total(row), table.largest.total, cell);
      case "place": {
        const place = table.place(row);
        if (place !== "")
          cell.append(element("span", { class: "place", title: SHARED_STRINGS.goTo(place) }, mfaText(place)));
        return;
      }
      default:
        return cell.append(this.#factText(row, columnId));
    }
  }

  #fillShare(samples: number, largest: number, cell: HTMLElement): void {
    cell.append(...percentBar(samples, this.of, largest));
    cell.title = SHARED_STRINGS.barScale(percent(largest, this.of));
  }

  /** Sums have no bar: bars compare functions, and a sum would be longer than all of them. */
  #fillGroup(ofRows: GroupOfRows, columnId: string, cell: HTMLElement): void {
    if (columnId !== "name") return cell.append(this.#sumText(ofRows, columnId));
    cell.append(
      nameText(STRINGS.group(ofRows.group), "name group"),
      element("span", { class: "quiet" }, STRINGS.functions(ofRows.rows.length)),
    );
  }

  #groupText(ofRows: GroupOfRows, columnId: string): string {
    return columnId === "name"
      ? `${STRINGS.group(ofRows.group)} · ${STRINGS.functions(ofRows.rows.length)}`
      : this.#sumText(ofRows, columnId);
  }

  #sumText({ group, sums }: GroupOfRows, columnId: string): string {
    switch (columnId) {
      case "own":
        return group.kind === "own" ? percent(sums.own, this.of) : "";
      case "ownSamples":
        return group.kind === "own" ? count(sums.own) : "";
      case "self":
        return percent(sums.self, this.of);
      case "selfSamples":
        return count(sums.self);
      default:
        return "";
    }
  }
}
