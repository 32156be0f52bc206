// The table's rows as the grid draws them.

import { element, nameText } from "../elements/dom.js";
import { percentBar } from "../elements/percent-bar.js";
import type { GridRow } from "../grid/grid-row.js";
import type { GridSource } from "../grid/virtual-grid.js";
import { count } from "../words/figures.js";
import { KIND_WORDS } from "../words/frame-kinds.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { STRINGS } from "./strings.js";
import type { GroupOfRows } from "./top-groups.js";
import type { TopTable } from "./top-table.js";

export class FunctionSource implements GridSource {
  constructor(
    private readonly table: TopTable,
    /** What 100% is. */
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
        const text = nameText(name, kind === "marker" ? "name marker" : "name");
        text.title = name;
        cell.append(element("span", { class: `kind kind-${kind}`, "aria-hidden": "true" }), text);
        if (calledFrom !== "") cell.append(nameText(STRINGS.calledFrom(calledFrom), "called-from quiet"));
        return;
      }
      case "kind":
        return cell.append(KIND_WORDS[table.kind(row)]);
      case "own":
        if (table.isOwn(row)) cell.append(...percentBar(table.own(row), this.of));
        return;
      case "ownSamples":
        if (table.isOwn(row)) cell.append(count(table.own(row)));
        return;
      case "self":
        return cell.append(...percentBar(table.self(row), this.of));
      case "selfSamples":
        return cell.append(count(table.self(row)));
      case "total":
        return cell.append(...percentBar(table.total(row), this.of));
      case "totalSamples":
        return cell.append(count(table.total(row)));
      case "place": {
        const place = table.place(row);
        if (place !== "") cell.append(element("span", { class: "place", title: SHARED_STRINGS.goTo(place) }, nameText(place)));
        return;
      }
    }
  }

  #fillGroup({ group, rows, sums }: GroupOfRows, columnId: string, cell: HTMLElement): void {
    switch (columnId) {
      case "name":
        return cell.append(nameText(STRINGS.group(group), "name group"), element("span", { class: "quiet" }, STRINGS.functions(rows.length)));
      case "own":
        if (group.kind === "own") cell.append(...percentBar(sums.own, this.of));
        return;
      case "ownSamples":
        if (group.kind === "own") cell.append(count(sums.own));
        return;
      case "self":
        return cell.append(...percentBar(sums.self, this.of));
      case "selfSamples":
        return cell.append(count(sums.self));
    }
  }
}
