// For how long nothing of a VM ran during a capture, and why, in words. No vscode in here.

import { count } from "../../../contract/figures.js";
import type { Words } from "../../../contract/plain-text.js";
import type { HaltedTime } from "../../../contract/protocol.generated.js";

/** @returns undefined for a reason that is not known here */
export function haltedText({ reason, ms }: HaltedTime, l10n: Words, language?: string): string | undefined {
  // At least that long, so the figure is not rounded up.
  const whole = Math.floor(ms / 1000);
  const seconds = count(whole, language);
  switch (reason) {
    case "stopped":
      return whole === 0
        ? l10n.t("The VM did not run for a time: a signal had stopped it")
        : l10n.t("The VM did not run for at least {0} s: a signal had stopped it", seconds);
    case "traced":
      return whole === 0
        ? l10n.t("The VM did not run for a time: a debugger held it")
        : l10n.t("The VM did not run for at least {0} s: a debugger held it", seconds);
    case "frozen":
      return whole === 0
        ? l10n.t("The VM did not run for a time: its control group was frozen")
        : l10n.t("The VM did not run for at least {0} s: its control group was frozen", seconds);
    default:
      return undefined;
  }
}
