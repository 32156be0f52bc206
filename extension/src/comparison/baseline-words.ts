// Texts about the baseline that is set. No vscode in here.

import type { Answer } from "../../../contract/editor-module.generated.js";
import { plainText, shownName, type Words } from "../../../contract/plain-text.js";
import { stemOf, timeInName } from "../captures/capture-file.js";
import { unreadCaptureWords } from "../captures/unreadable-words.js";
import { computationFailed } from "../editor-module/editor-module.js";
import { momentText } from "../text/moment.js";
import { refusalText } from "./refusal-words.js";

const LONGEST_NAME = 40;

export interface BaselineFacts {
  /** Of its file. */
  readonly name: string;
  /** Its file is missing. */
  readonly isGone: boolean;
  readonly inView:
    | {
        /** Of its file. */
        readonly name: string;
        readonly isLive: boolean;
        readonly isBaseline: boolean;
        /** It is of several files, which are compared one by one. */
        readonly isSeveral: boolean;
        /** Why it could not be compared. */
        readonly problem?: string;
      }
    | undefined;
}

/** Short: the time of the capture, where its name contains nothing else; today's without the day. */
export function baselineName(fileName: string, nowUnixMs: number, language?: string): string {
  const at = timeInName(fileName);
  return at === undefined ? plainText(stemOf(fileName), LONGEST_NAME) : momentText(at.getTime(), nowUnixMs, language);
}

/** Why a capture is not compared with it: one clause without a full stop. */
export function notComparedText(answer: Exclude<Answer, { type: "compared" }>, l10n: Words): string {
  switch (answer.type) {
    case "refused":
      return refusalText(answer.value, l10n);
    case "unread":
      return l10n.t("{0}: {1}", shownName(answer.value.capture), unreadCaptureWords(answer.value, l10n));
    case "failed":
    case "written":
      return computationFailed(shownName(answer.value)).words(l10n);
  }
}

/** Its current effect, one sentence each. */
export function baselineState(
  { name, isGone, inView }: BaselineFacts,
  l10n: Words,
): { readonly isTrouble: boolean; readonly sentences: readonly string[] } {
  const shown = plainText(name, 200);
  if (isGone) return { isTrouble: true, sentences: [l10n.t("The baseline {0} was deleted, renamed or moved.", shown)] };
  const compared = l10n.t("Captures are compared with the baseline {0}.", shown);
  if (inView?.problem !== undefined) {
    const why = l10n.t("{0} is not compared: {1}", plainText(inView.name, 200), plainText(inView.problem, 500));
    return { isTrouble: true, sentences: [compared, why] };
  }
  const more = inView === undefined ? "" : inViewText(inView, l10n);
  return { isTrouble: false, sentences: more === "" ? [compared] : [compared, more] };
}

function inViewText({ isLive, isBaseline, isSeveral }: NonNullable<BaselineFacts["inView"]>, l10n: Words): string {
  if (isBaseline) return l10n.t("It is the capture in view.");
  if (isSeveral) return l10n.t("The capture in view is of several files, which are compared one by one.");
  return isLive ? l10n.t("The capture in view is compared when it ends.") : "";
}
