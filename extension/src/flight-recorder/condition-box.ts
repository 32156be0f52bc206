// Prompts for the condition: the typed text, as soon as it is a condition; else an earlier one or an example, to be
// edited in a box that shows its errors.

import * as vscode from "vscode";
import type { Helper } from "../helper/helper.js";
import { createQuickPick, setPickerRows, showInputBox } from "../messages/pickers.js";
import { errorText } from "../text/error-text.js";
import { ConditionChoice, type ConditionList } from "./condition-choice.js";
import type { ConditionRow } from "./condition-rows.js";
import { faultText } from "./flight-words.js";
import { offeredConditions, withLast } from "./last-conditions.js";

const LAST = "extrospect.recordWhen.conditions";

export class ConditionBox {
  constructor(private readonly memory: vscode.Memento) {}

  /** @returns the condition; undefined when the user changed their mind */
  async ask(helper: Helper, name: string): Promise<string | undefined> {
    const { l10n } = vscode;
    const title = l10n.t("Capture When… ({0})", name);
    const chosen = await this.#choose(helper, title);
    if (chosen === undefined || chosen.isFinal) return chosen?.condition;
    const condition = await showInputBox({
      title,
      prompt: l10n.t(
        "Comparisons of mailbox (the largest), messages, runqueue, memory, rss, processes, collections/s, reductions/s with a number, joined by “and” and “or”",
      ),
      value: chosen.condition,
      ignoreFocusOut: true,
      validate: (text) => refusal(helper, text),
    });
    return condition?.trim();
  }

  /** The chosen row; typed text is checked on the way. */
  #choose(helper: Helper, title: string): Promise<ConditionRow | undefined> {
    const { l10n } = vscode;
    const offered = offeredConditions(this.memory.get(LAST));
    const picker = createQuickPick<ConditionRow>({
      title,
      placeHolder: l10n.t("Type a condition (memory>10MB), or choose one to change it"),
    });
    picker.ignoreFocusOut = true;
    return new Promise((resolve) => {
      const list: ConditionList = {
        check: (text) => refusal(helper, text),
        show: (rows, isTyped) => {
          setPickerRows(picker, rows);
          // The editor puts rows first whose words begin with the typed text.
          const [first] = picker.items;
          if (isTyped && first !== undefined) picker.activeItems = [first];
        },
        setBusy: (isBusy) => {
          picker.busy = isBusy;
        },
        chosen: (row) => {
          resolve(row);
          picker.hide();
        },
      };
      const choice = new ConditionChoice(list, offered, l10n);
      picker.onDidChangeValue((text) => void choice.typed(text));
      picker.onDidAccept(() => {
        choice.accepted(picker.selectedItems[0]?.row);
      });
      picker.onDidHide(() => {
        choice.dispose();
        resolve(undefined);
        picker.dispose();
      });
      picker.show();
    });
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
