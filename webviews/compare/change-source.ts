// Rows of changes as the grid draws them.

import type { Measure, Verdict } from "../../contract/editor-module.generated.js";
import { element } from "../elements/dom.js";
import type { GridRow } from "../grid/grid-row.js";
import type { GridSource } from "../grid/virtual-grid.js";
import { changeText, placeOnAxis, valueText } from "./change-figures.js";
import { verdictOf, type RowTexts } from "./change-table.js";
import { STRINGS } from "./strings.js";

/** So that nobody has to tell colours apart. */
export const SIGNS: Record<Verdict, string> = { slower: "▲", faster: "▼", new: "✚", gone: "✖", noise: "≈", too_few: "·", not_matched: "?" };

export class ChangeSource implements GridSource {
  readonly #positions = new Map<string, number>();

  constructor(
    private readonly table: RowTexts,
    private readonly rows: Uint32Array,
    private readonly measure: Measure,
    /** Fills the cells that are not of the change itself. */
    private readonly fillText: (row: number, columnId: string, cell: HTMLElement) => void,
  ) {
    rows.forEach((row, position) => this.#positions.set(String(row), position));
  }

  get count(): number {
    return this.rows.length;
  }

  rowAt(index: number): number {
    return this.rows[index] ?? -1;
  }

  row(index: number): GridRow {
    return { key: String(this.rowAt(index)) };
  }

  indexOf(key: string): number {
    return this.#positions.get(key) ?? -1;
  }

  text(index: number): string {
    return this.table.name(this.rowAt(index));
  }

  fill(index: number, columnId: string, cell: HTMLElement): void {
    const row = this.rowAt(index);
    const { changes } = this.table;
    switch (columnId) {
      case "verdict": {
        const verdict = verdictOf(changes, row);
        return cell.append(element("span", { class: `sign sign-${verdict}`, "aria-hidden": "true" }, SIGNS[verdict]), element("span", {}, STRINGS.verdicts[verdict]));
      }
      case "base":
      case "new":
        return cell.append(valueText(changes[columnId][row] ?? 0, this.measure));
      case "change":
        return cell.append(changeText(changes.change[row] ?? NaN));
      case "interval":
        return fillInterval(changes.low[row] ?? NaN, changes.high[row] ?? NaN, changes.change[row] ?? NaN, verdictOf(changes, row), cell);
      default:
        return this.fillText(row, columnId, cell);
    }
  }
}

/** A bar from end to end with a mark where the change itself is; the same as text for those who do not see it. */
function fillInterval(low: number, high: number, change: number, verdict: Verdict, cell: HTMLElement): void {
  if (Number.isNaN(low) || Number.isNaN(high)) return;
  const text = STRINGS.interval(changeText(low), changeText(high));
  const axis = element("span", { class: `interval interval-${verdict}`, "aria-hidden": "true", title: text }, element("span", { class: "interval-bar" }), element("span", { class: "interval-mark" }));
  axis.style.setProperty("--from", String(placeOnAxis(low)));
  axis.style.setProperty("--to", String(placeOnAxis(high)));
  axis.style.setProperty("--at", String(placeOnAxis(change)));
  cell.append(axis, element("span", { class: "unseen" }, text));
}
