// The list that prompts for a condition, while it is open: the typed text is checked in the time that this takes, and
// Enter may come before the result. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import { conditionRows, type ConditionRow } from "./condition-rows.js";
import type { OfferedCondition } from "./last-conditions.js";

export interface ConditionList {
  /** Why a text is no condition; undefined when it is one. Never fails. */
  check(text: string): Promise<string | undefined>;
  /** @param isTyped the first row is that of the typed text */
  show(rows: readonly ConditionRow[], isTyped: boolean): void;
  /** Whether the typed text is being checked. */
  setBusy(isBusy: boolean): void;
  /** Once. */
  chosen(row: ConditionRow): void;
}

export class ConditionChoice {
  /** The text of the box, without blanks around it. */
  #text = "";
  /** Enter was pressed, and the text is not checked yet. */
  #isAccepted = false;
  #isOver = false;

  constructor(
    private readonly list: ConditionList,
    private readonly offered: readonly OfferedCondition[],
    private readonly words: Words,
  ) {
    this.#show();
  }

  /** The text of the box is another. */
  async typed(value: string): Promise<void> {
    const text = value.trim();
    this.#text = text;
    this.#isAccepted = false;
    this.list.setBusy(text !== "");
    if (text === "") {
      this.#show();
      return;
    }
    const fault = await this.list.check(text);
    // A result that comes too late is about an earlier text.
    if (this.#isOver || this.#text !== text) return;
    this.list.setBusy(false);
    const [row] = this.#show({ text, fault });
    const isAccepted = this.#isAccepted;
    this.#isAccepted = false;
    // Where it is none, its fault is in the list; another Enter leads to the box.
    if (isAccepted && row?.isFinal === true) this.#choose(row);
  }

  /** Enter, or a click. @param row that it chose; undefined when the list is empty */
  accepted(row: ConditionRow | undefined): void {
    if (row !== undefined && (!row.isTyped || row.condition === this.#text)) this.#choose(row);
    else this.#isAccepted = this.#text !== "";
  }

  /** The list is put away. */
  dispose(): void {
    this.#isOver = true;
  }

  #show(typed?: { readonly text: string; readonly fault: string | undefined }): readonly ConditionRow[] {
    const rows = conditionRows(this.offered, typed, this.words);
    this.list.show(rows, typed !== undefined);
    return rows;
  }

  #choose(row: ConditionRow): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.list.chosen(row);
  }
}
