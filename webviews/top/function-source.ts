// The table's rows as the grid draws them.

import { markedOf, UNSURE } from "../../contract/figures.js";
import type { TopRows } from "../../contract/messages/top.js";
import { shortAmount } from "../../contract/sample-type-words.js";
import { element, nameText } from "../elements/dom.js";
import { mfaText } from "../elements/mfa-text.js";
import { percentBar } from "../elements/percent-bar.js";
import type { GridRow } from "../grid/grid-row.js";
import type { GridSource } from "../grid/virtual-grid.js";
import { LANGUAGE, percent } from "../words/figures.js";
import { KIND_WORDS } from "../words/frame-kinds.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { STRINGS } from "./strings.js";
import type { GroupOfRows } from "./grouped-rows.js";
import type { TopTable } from "./top-table.js";

/** What shares of a table are of, and when they are marked. */
type ShareBase = Pick<TopRows, "of" | "minimumSamples" | "unit">;

export class FunctionSource implements GridSource {
  constructor(
    private readonly table: TopTable,
    private readonly base: ShareBase,
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
        return table.isOwn(row) ? this.#share(table.own(row), table.total(row)) : "";
      case "ownSamples":
        return table.isOwn(row) ? this.#amount(table.own(row)) : "";
      case "self":
        return this.#share(table.self(row), table.total(row));
      case "selfSamples":
        return this.#amount(table.self(row));
      case "total":
        return this.#share(table.total(row), table.total(row));
      case "totalSamples":
        return this.#amount(table.total(row));
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
        if (table.isOwn(row)) this.#fillShare(row, table.own(row), table.largest.own, cell);
        return;
      case "self":
        return this.#fillShare(row, table.self(row), table.largest.self, cell);
      case "total":
        return this.#fillShare(row, table.total(row), table.largest.total, cell);
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

  #fillShare(row: number, samples: number, largest: number, cell: HTMLElement): void {
    const { of, minimumSamples } = this.base;
    const figure = this.#share(samples, this.table.total(row));
    cell.append(...percentBar(samples, of, largest, figure));
    const scale = SHARED_STRINGS.barScale(percent(largest, of));
    cell.title = figure.startsWith(UNSURE) ? `${scale}. ${SHARED_STRINGS.tooFew(minimumSamples)}` : scale;
  }

  #amount(samples: number): string {
    return shortAmount(samples, this.base.unit, LANGUAGE);
  }

  /** Marked where it is of few samples. @param total of the same function */
  #share(samples: number, total: number): string {
    return markedOf(total, percent(samples, this.base.of), samples, this.base.minimumSamples);
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
        return group.kind === "own" ? this.#share(sums.own, sums.own) : "";
      case "ownSamples":
        return group.kind === "own" ? this.#amount(sums.own) : "";
      case "self":
        return this.#share(sums.self, sums.self);
      case "selfSamples":
        return this.#amount(sums.self);
      default:
        return "";
    }
  }
}
