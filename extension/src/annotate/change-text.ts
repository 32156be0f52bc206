// What changed at a function since the baseline, in words. No vscode in here.

import type { Change, FunctionChange } from "../../../contract/editor-module.generated.js";
import type { Attribution, PercentOf } from "../../../contract/capture-answers.js";
import { percent, signedPercent } from "../../../contract/figures.js";
import type { LineChange } from "../comparison/line-changes.js";
import { plainText, type Words } from "../../../contract/plain-text.js";

const LONGEST_NAME = 60;

/** The change in the time that views show. */
function changeOf(change: FunctionChange, attribution: Attribution): Change {
  return change[attribution] ?? change.self;
}

/** `▲ +18% since ab12cd3`; empty where nothing changed for certain. */
export function changeForLens(
  change: FunctionChange,
  attribution: Attribution,
  baseline: string,
  words: Words,
  language: string | undefined,
): string {
  const { verdict, change_pct: changed } = changeOf(change, attribution);
  const name = plainText(baseline, LONGEST_NAME);
  switch (verdict) {
    case "slower":
      return words.t("▲ {0} since {1}", signedPercent(changed ?? 0, language), name);
    case "faster":
      return words.t("▼ {0} since {1}", signedPercent(changed ?? 0, language), name);
    case "new":
      return words.t("✚ new since {0}", name);
    case "gone":
      return words.t("✖ gone since {0}", name);
    default:
      return "";
  }
}

/** Texts of a hover, whose other figures have their base: a comparison is always of the busy samples. */
export interface ChangeWords {
  readonly words: Words;
  readonly language: string | undefined;
  readonly percentOf: PercentOf;
}

/** Both sides, with the interval and the verdict. */
export function changeForHover(
  change: FunctionChange,
  attribution: Attribution,
  baseline: string,
  { words, language, percentOf }: ChangeWords,
): string {
  const { base, new: now, low_pct: low, high_pct: high, verdict } = changeOf(change, attribution);
  const share = (value: number) => percent(value, 100, language, "tenths");
  const texts = [plainText(baseline, LONGEST_NAME), share(base), share(now)] as const;
  const sides =
    percentOf === "busy"
      ? words.t("{0}: {1} before, {2} now", ...texts)
      : words.t("{0}: {1} of busy before, {2} now", ...texts);
  const interval =
    low === null || high === null
      ? ""
      : words.t("between {0} and {1}", signedPercent(low, language), signedPercent(high, language));
  return [sides, interval, verdictText(verdict, words)].filter((part) => part !== "").join(" · ");
}

/** `▲ +18%` beside the figure of a line; empty where nothing changed for certain. */
export function changeForLine({ before, now, change, isUnsure }: LineChange, language: string | undefined): string {
  const sign = LINE_SIGNS[change];
  if (sign === "") return "";
  const size = before > 0 && now > 0 ? ` ${signedPercent((now / before - 1) * 100, language)}` : "";
  return `${isUnsure ? "≈ " : ""}${sign}${size}`;
}

/** Both sides of a line, and how the difference is to be read. */
export function lineForHover(
  change: LineChange,
  baseline: string,
  { words, language, percentOf }: ChangeWords,
): string {
  const share = (value: number) => percent(value, 100, language, "tenths");
  const texts = [plainText(baseline, LONGEST_NAME), share(change.before), share(change.now)] as const;
  const sides =
    percentOf === "busy"
      ? words.t("{0}: this line {1} before, {2} now", ...texts)
      : words.t("{0}: this line {1} of busy before, {2} now", ...texts);
  return `${sides} · ${changeForLine(change, language) || words.t("no significant change")}`;
}

const LINE_SIGNS: Record<LineChange["change"], string> = { none: "", more: "▲", less: "▼", new: "✚", gone: "✖" };

function verdictText(verdict: Change["verdict"], words: Words): string {
  switch (verdict) {
    case "slower":
      return words.t("slower");
    case "faster":
      return words.t("faster");
    case "new":
      return words.t("new");
    case "gone":
      return words.t("gone");
    case "noise":
      return words.t("no significant change");
    case "too_few":
      return words.t("too few samples");
    case "not_matched":
      return words.t("not matched");
  }
}
