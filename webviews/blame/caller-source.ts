// The open rows of the caller tree as the grid draws them.

import { marked } from "../../contract/figures.js";
import type { BlameRow } from "../../contract/messages/blame.js";
import { shortAmount } from "../../contract/sample-type-words.js";
import { element, nameText } from "../elements/dom.js";
import { percentBar } from "../elements/percent-bar.js";
import type { GridRow } from "../grid/grid-row.js";
import type { GridSource } from "../grid/virtual-grid.js";
import { LANGUAGE, percent } from "../words/figures.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { STRINGS } from "./strings.js";

export interface CallerShares {
  readonly matched: number;
  readonly whole: number;
  /** Shares of fewer samples are marked. */
  readonly minimumSamples: number;
  readonly unit: string;
  /** The function whose rows are marked; -1 for none. */
  readonly focused: number;
}

export class CallerSource implements GridSource {
  readonly #indexes: ReadonlyMap<string, number>;

  constructor(
    readonly rows: readonly BlameRow[],
    private readonly shares: CallerShares,
  ) {
    this.#indexes = new Map(rows.map(({ key }, index) => [key, index]));
  }

  get count(): number {
    return this.rows.length;
  }

  row(index: number): GridRow {
    const row = this.#at(index);
    return { ...row, marked: row.functionIndex >= 0 && row.functionIndex === this.shares.focused };
  }

  indexOf(key: string): number {
    return this.#indexes.get(key) ?? -1;
  }

  text(index: number): string {
    return this.#at(index).name;
  }

  fill(index: number, columnId: string, cell: HTMLElement): void {
    const row = this.#at(index);
    switch (columnId) {
      case "name": {
        const name = nameText(row.name, row.functionIndex < 0 ? "name marker" : "name");
        name.title = STRINGS.markers[row.name] ?? row.name;
        cell.append(name);
        if (row.atOrBelow)
          cell.append(element("span", { class: "mark", title: STRINGS.atOrBelowHelp }, STRINGS.atOrBelow));
        return;
      }
      case "samples":
        return cell.append(shortAmount(row.samples, this.shares.unit, LANGUAGE));
      case "ofIt":
        this.#explain(row, cell);
        return cell.append(...this.#bar(row));
      case "ofBusy":
      case "ofAll":
        this.#explain(row, cell);
        return cell.append(this.#share(row, this.shares.whole));
      case "place":
        if (row.place !== "")
          cell.append(
            element(
              "span",
              { class: row.functionIndex >= 0 ? "place" : "", title: SHARED_STRINGS.goTo(row.place) },
              nameText(row.place),
            ),
          );
        return;
    }
  }

  #bar(row: BlameRow): HTMLElement[] {
    const { matched } = this.shares;
    return percentBar(row.samples, matched, matched, this.#share(row, matched));
  }

  #share({ samples }: BlameRow, of: number): string {
    return marked(percent(samples, of), samples, this.shares.minimumSamples);
  }

  #explain({ samples }: BlameRow, cell: HTMLElement): void {
    const { minimumSamples } = this.shares;
    if (samples < minimumSamples) cell.title = SHARED_STRINGS.tooFew(minimumSamples);
  }

  #at(index: number): BlameRow {
    return this.rows[index] as BlameRow;
  }
}
