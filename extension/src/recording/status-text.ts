// What the status bar and the messages at the end say. No vscode in here.

import { count } from "../../../contract/figures.js";
import { plainText, type Words } from "../../../contract/plain-text.js";
import type { CaptureEndReason } from "../../../contract/protocol.generated.js";
import { SAMPLES } from "../../../contract/sample-type-words.js";
import { isNothing, recordedText, type RecordedAmount } from "../captures/recorded-amount.js";
import { clock } from "../text/clock.js";
import { errorWords } from "../text/error-text.js";

/** Characters of a reason in a message. */
const LONGEST_REASON = 300;

/** `0:12 · 1,234 samples`. */
export function progressText(elapsedMs: number, recorded: RecordedAmount, l10n: Words, language?: string): string {
  return `${clock(elapsedMs)} · ${recordedText(recorded, l10n, language)}`;
}

export interface EndText {
  readonly text: string;
  /** This end was unexpected. */
  readonly isTrouble: boolean;
}

/** `windowGone`: the window was reloaded or closed, which is seen when it is back. */
export type EndSeen = CaptureEndReason | "helperGone" | "windowGone";

/** What follows the end of a capture on another host whose file did not arrive whole; empty where it did. */
export function missingPartText(fileProblem: Error | undefined, l10n: Words): string {
  if (fileProblem === undefined) return "";
  return l10n.t("Its file here is not complete: {0}.", plainText(errorWords(fileProblem, l10n), LONGEST_REASON));
}

/** The part of a capture that is kept when it ended unexpectedly. */
function keptText(recorded: RecordedAmount, l10n: Words, language?: string): string {
  const { amount, unit } = recorded;
  if (isNothing(recorded)) return l10n.t("No sample was taken yet.");
  if (unit !== SAMPLES)
    return l10n.t("The samples captured so far are kept: {0}.", recordedText(recorded, l10n, language));
  return amount === 1
    ? l10n.t("The one sample captured so far is kept.")
    : l10n.t("The {0} samples captured so far are kept.", count(amount, language));
}

/** Why a capture ended, and the state of its file. */
export function endText(
  reason: EndSeen,
  why: string,
  name: string,
  recorded: RecordedAmount,
  l10n: Words,
  language?: string,
): EndText {
  const kept = keptText(recorded, l10n, language);
  const trouble = (text: string) => ({ text: `${text} ${kept}`, isTrouble: true });
  switch (reason) {
    case "duration":
    case "stopped":
      return {
        text: l10n.t("Captured {0} of {1}.", recordedText(recorded, l10n, language), name),
        isTrouble: false,
      };
    case "targetGone":
      return trouble(l10n.t("{0} exited.", name));
    case "shutdown":
      return trouble(l10n.t("The helper was stopped, and with it the capture of {0}.", name));
    case "windowGone":
      return trouble(l10n.t("The capture of {0} ended when its window was reloaded or closed.", name));
    case "writeFailed":
      return trouble(l10n.t("The capture of {0} could not be written: {1}.", name, why));
    case "failed":
      return trouble(l10n.t("The capture of {0} failed: {1}.", name, why));
    case "helperGone":
      return trouble(l10n.t("The helper exited during the capture of {0}: {1}.", name, why));
  }
}
