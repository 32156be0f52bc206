// The message about the unexpected end of a capture.

import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import { recordedAmount } from "../captures/recorded-amount.js";
import { errorInWords } from "../messages/helper-text.js";
import { showWarningMessage } from "../messages/show-message.js";
import type { Recording, RecordingEnd } from "./recording.js";
import { endText, missingPartText } from "./status-text.js";

export interface EndOfOne {
  readonly recording: Recording;
  /** Shown. */
  readonly name: string;
  readonly end: RecordingEnd;
  /** How many that were started with it go on. */
  readonly others: number;
  /** Whether starting it again is offered, where the VM is still there. */
  readonly mayRestart: boolean;
}

/**
 * Expected ends are in the log alone, unless the file is not complete.
 * @returns whether the user wants to capture again, once they have answered: never when the window closes first
 */
export async function showEnd(
  { recording, name, end: { reason, problem }, others, mayRestart }: EndOfOne,
  log: vscode.LogOutputChannel,
): Promise<boolean> {
  const l10n = vscode.l10n;
  if (recording.problem !== undefined)
    log.error(`The capture of ${name} could not be followed: ${recording.problem.message}`);
  const words = problem === null ? undefined : errorInWords(problem, l10n);
  const why = plainText([words?.what, words?.why].filter((part) => part !== undefined && part !== "").join(": "), 500);
  const recorded = recordedAmount(recording.quality);
  const { text, isTrouble } = endText(reason, why, name, recorded, l10n, vscode.env.language);
  const missing = missingPartText(recording.fileProblem, l10n);
  log.info(`${text} ${recording.file}`);
  if (!isTrouble && missing === "") return false;
  const rest =
    others === 0
      ? ""
      : others === 1
        ? ` ${l10n.t("The other node continues.")}`
        : ` ${l10n.t("The other {0} nodes continue.", others)}`;
  const [again, showLog] = [l10n.t("Restart the Capture"), l10n.t("Show Log")];
  const buttons = mayRestart && isTrouble && reason !== "targetGone" ? [again, showLog] : [showLog];
  const shown = missing === "" ? `${text}${rest}` : `${text} ${missing}${rest}`;
  const chosen = await showWarningMessage(shown, ...buttons);
  if (chosen === showLog) log.show(true);
  return chosen === again;
}
