// The rows of the list that prompts for a condition: the typed one, the offered ones, an empty one. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import type { OfferedCondition } from "./last-conditions.js";

export interface ConditionRow {
  readonly icon: string;
  readonly label: string;
  readonly description?: string;
  readonly alwaysShow?: boolean;
  readonly condition: string;
  /** Whether it is recorded as it is; else it is changed in a box first. */
  readonly isFinal: boolean;
  /** Whether it is about the typed text. */
  readonly isTyped: boolean;
}

/** The typed text, and why it is no condition. */
interface TypedCondition {
  readonly text: string;
  /** Undefined when it is one. */
  readonly fault: string | undefined;
}

/** @param typed undefined while nothing is typed, or not checked yet */
export function conditionRows(
  offered: readonly OfferedCondition[],
  typed: TypedCondition | undefined,
  l10n: Words,
): ConditionRow[] {
  const empty = { icon: "edit", label: l10n.t("Write a Condition…"), condition: "", isFinal: false, isTyped: false };
  return [
    ...(typed === undefined ? [] : [typedRow(typed, l10n)]),
    ...offered.map((it, index) => offeredRow(it, index === 0, l10n)),
    empty,
  ];
}

/** It stands whatever the editor's filter makes of its words. */
function typedRow({ text, fault }: TypedCondition, l10n: Words): ConditionRow {
  const condition = text.trim();
  const row = { condition, alwaysShow: true, isTyped: true };
  return fault === undefined
    ? { ...row, icon: "record", label: l10n.t("Record when {0}", condition), isFinal: true }
    : { ...row, icon: "error", label: fault, description: l10n.t("not a condition yet"), isFinal: false };
}

function offeredRow({ condition, isUsed }: OfferedCondition, isFirst: boolean, l10n: Words): ConditionRow {
  const description = !isUsed ? l10n.t("example") : isFirst ? l10n.t("the last one") : l10n.t("used before");
  const icon = isUsed ? "history" : "lightbulb";
  return { icon, label: condition, description, condition, isFinal: false, isTyped: false };
}
