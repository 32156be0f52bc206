// Asks when to record: one of the conditions used before or an example, to be changed in a box that says what is wrong with it.

import * as vscode from "vscode";
import type { Helper } from "../helper/helper.js";
import { showInputBox, showQuickPick, type PickerRow } from "../messages/pickers.js";
import { errorText } from "../text/error-text.js";
import { faultText } from "./flight-words.js";
import { offeredConditions, withLast } from "./last-conditions.js";

const LAST = "extrospect.recordWhen.conditions";

interface ConditionRow extends PickerRow {
  readonly condition: string;
}

export class ConditionBox {
  constructor(private readonly memory: vscode.Memento) {}

  /** @returns the condition; undefined when the user changed their mind */
  async ask(helper: Helper, name: string): Promise<string | undefined> {
    const { l10n } = vscode;
    const title = l10n.t("Record When… ({0})", name);
    const rows = offeredConditions(this.memory.get(LAST)).map(({ condition, isUsed }, index): ConditionRow => {
      const description = !isUsed ? l10n.t("example") : index === 0 ? l10n.t("the last one") : l10n.t("used before");
      return { icon: isUsed ? "history" : "lightbulb", label: condition, description, condition };
    });
    const empty: ConditionRow = { icon: "edit", label: l10n.t("Write a Condition…"), condition: "" };
    const chosen = await showQuickPick([...rows, empty], { title, placeHolder: l10n.t("What to wait for; it can be changed before it counts"), ignoreFocusOut: true });
    if (chosen === undefined) return undefined;
    const condition = await showInputBox({
      title,
      prompt: l10n.t("Comparisons of mailbox (the largest), messages, runqueue, memory, rss, processes, collections/s, reductions/s with a number, joined by “and” and “or”"),
      value: chosen.condition,
      ignoreFocusOut: true,
      validate: (text) => refusal(helper, text),
    });
    return condition?.trim();
  }

  /** It is offered first the next time. */
  async used(condition: string): Promise<void> {
    await this.memory.update(LAST, withLast(this.memory.get(LAST), condition));
  }
}

/** Why a text is no condition, as the helper judges it; undefined when it is one. */
export async function refusal(helper: Helper, condition: string): Promise<string | undefined> {
  try {
    const { fault } = await helper.request("extrospect/flight/check", { condition });
    return fault === null ? undefined : faultText(fault, vscode.l10n);
  } catch (error) {
    return errorText(error);
  }
}
