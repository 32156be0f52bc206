// The conditions of a comparison as the setting keeps them, once the page changed one. No vscode in here.

import { LONGEST_CONDITION, MOST_CONDITIONS } from "../../../../contract/messages/compare.js";
import { plainText } from "../../../../contract/plain-text.js";

/** Those that the page left alone are as they were set: it has them cut. Nor does it have all of more than are judged. */
export function keptConditions(conditions: readonly string[], set: readonly string[]): string[] {
  const asSet = new Map(set.map((one) => [plainText(one, LONGEST_CONDITION), one]));
  return [...conditions.map((one) => asSet.get(one) ?? one), ...set.slice(MOST_CONDITIONS)];
}
