// Rows of changes as the grid draws them.

import type { Measure, Verdict } from "../../contract/editor-module.generated.js";
import { element } from "../elements/dom.js";
import type { GridRow } from "../grid/grid-row.js";
import type { GridSource } from "../grid/virtual-grid.js";
import { changeText, placeOnAxis, valueText } from "./change-figures.js";
import { verdictOf, type RowTexts } from "./change-table.js";
import { FOLD, type ShownRows } from "./folded-rows.js";
import { STRINGS } from "./strings.js";

/** So that no user has to distinguish colours. */
export const SIGNS: Record<Verdict, string> = {
  slower: "▲",
  faster: "▼",
  new: "✚",
  gone: "✖",
  noise: "≈",
  too_few: "·",
  not_matched: "?",
};

/** Key of the row that stands for all without a change. */
const FOLD_KEY = "unchanged";

export class ChangeSource implements GridSource {
  readonly #positions = new Map<string, number>();

  constructor(
    private readonly table: RowTexts,
    private readonly rows: ShownRows,
    private readonly measure: Measure,
    /** Fills the cells that are not of the change itself. */
    private readonly fillText: (row: number, columnId: string, cell: HTMLElement) => void,
  ) {
    rows.order.forEach((row, position) => this.#positions.set(keyOf(row), position));
  }

  get count(): number {
    return this.rows.order.length;
  }

  /** -1 for the one that stands for all without a change. */
  rowAt(index: number): number {
    return this.rows.order[index] ?? FOLD;
  }

  isFold(index: number): boolean {
    return this.rows.unchanged > 0 && index === this.rows.changed;
  }

  row(index: number): GridRow {
    const { changed, unchanged, isOpen } = this.rows;
    const key = keyOf(this.rowAt(index));
    const first = { level: 1, position: index + 1, siblings: changed + Number(unchanged > 0) };
    if (this.isFold(index)) return { key, ...first, isHead: true, expandable: true, expanded: isOpen };
    if (index < changed) return { key, ...first };
    return { key, level: 2, position: index - changed, siblings: unchanged };
  }

  indexOf(key: string): number {
    return this.#positions.get(key) ?? -1;
  }

  text(index: number): string {
    if (this.isFold(index)) return STRINGS.unchanged(this.rows.unchanged);
    return this.table.name(this.rowAt(index));
  }

  fill(index: number, columnId: string, cell: HTMLElement): void {
    if (this.isFold(index)) {
      // The first cell takes the whole row.
      if (columnId === "touched") cell.append(element("span", {}, this.text(index)));
      return;
    }
    const row = this.rowAt(index);
    const { changes } = this.table;
    switch (columnId) {
      case "verdict": {
        const verdict = verdictOf(changes, row);
        if (verdict === "noise") cell.title = STRINGS.verdictHelp.noise;
        return cell.append(
          element("span", { class: `sign sign-${verdict}`, "aria-hidden": "true" }, SIGNS[verdict]),
          element("span", {}, STRINGS.verdicts[verdict]),
        );
      }
      case "base":
      case "new":
        return cell.append(valueText(changes[columnId][row] ?? 0, this.measure));
      case "change":
        return cell.append(changeText(changes.change[row] ?? NaN));
      case "interval":
        return fillInterval(
          changes.low[row] ?? NaN,
          changes.high[row] ?? NaN,
          changes.change[row] ?? NaN,
          verdictOf(changes, row),
          cell,
        );
      default:
        return this.fillText(row, columnId, cell);
    }
  }
}

function keyOf(row: number): string {
  return row === FOLD ? FOLD_KEY : String(row);
}

/** A bar from end to end with a mark where the change itself is; the same as text for users who do not see it. */
function fillInterval(low: number, high: number, change: number, verdict: Verdict, cell: HTMLElement): void {
  if (Number.isNaN(low) || Number.isNaN(high)) return;
  const text = STRINGS.interval(changeText(low), changeText(high));
  const axis = element(
    "span",
    { class: `interval interval-${verdict}`, "aria-hidden": "true", title: text },
    element("span", { class: "interval-bar" }),
    element("span", { class: "interval-mark" }),
  );
  axis.style.setProperty("--from", String(placeOnAxis(low)));
  axis.style.setProperty("--to", String(placeOnAxis(high)));
  axis.style.setProperty("--at", String(placeOnAxis(change)));
  cell.append(axis, element("span", { class: "unseen" }, text));
}
