// What the status bar and the messages at the end say. No vscode in here.

import { count } from "../../../contract/figures.js";
import type { Words } from "../../../contract/plain-text.js";
import type { CaptureEndReason } from "../../../contract/protocol.generated.js";
import { clock } from "../text/clock.js";

/** `0:12 · 1,234 samples`. */
export function progressText(elapsedMs: number, samples: number, l10n: Words, language?: string): string {
  return l10n.t("{0} · {1} samples", clock(elapsedMs), count(samples, language));
}

export interface EndText {
  readonly text: string;
  /** Nobody asked for this end. */
  readonly isTrouble: boolean;
}

/** `windowGone`: the window was reloaded or closed, which is seen when it is back. */
export type EndSeen = CaptureEndReason | "helperGone" | "windowGone";

/** Why a capture ended and what became of it. */
export function endText(reason: EndSeen, why: string, name: string, samples: number, l10n: Words, language?: string): EndText {
  const counted = count(samples, language);
  const kept = samples > 0 ? l10n.t("The {0} samples captured so far are kept.", counted) : l10n.t("No sample was taken yet.");
  const trouble = (text: string) => ({ text: `${text} ${kept}`, isTrouble: true });
  switch (reason) {
    case "duration":
    case "stopped":
      return { text: l10n.t("Captured {0} samples of {1}.", counted, name), isTrouble: false };
    case "targetGone":
      return trouble(l10n.t("{0} went away.", name));
    case "shutdown":
      return trouble(l10n.t("The helper was stopped, and with it the capture of {0}.", name));
    case "windowGone":
      return trouble(l10n.t("The capture of {0} ended when its window was reloaded or closed.", name));
    case "writeFailed":
      return trouble(l10n.t("The capture of {0} could not be written: {1}.", name, why));
    case "failed":
      return trouble(l10n.t("The capture of {0} failed: {1}.", name, why));
    case "helperGone":
      return trouble(l10n.t("The helper went away during the capture of {0}: {1}.", name, why));
  }
}
