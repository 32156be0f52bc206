// Shows the user what failed, with the buttons that help.

import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import { ErrorCodes } from "../../../contract/protocol.generated.js";
import { COMMANDS } from "../contributions.js";
import { showErrorMessage } from "../messages/show-message.js";
import { errorWords, forLog } from "../text/error-text.js";
import { Cancelled, errorSentences, HelperError, sentence } from "./helper-error.js";

interface Button extends vscode.MessageItem {
  readonly run: () => unknown;
}

export interface ShownError {
  /** A command that fixes it, to be copied; when the error itself names none. */
  readonly command?: string | undefined;
  /** The process it is about: the check of what sampling needs looks at it too. */
  readonly pid?: number | undefined;
  /** Where that is, when it is not this machine; handed on to commands as it is. */
  readonly host?: object | undefined;
}

/** Shows an error, the helper's or any other, but nothing for a request that was cancelled. Does not wait until the message is closed. */
export function showError(error: unknown, log: vscode.LogOutputChannel, { command, pid, host }: ShownError = {}): void {
  if (error instanceof Cancelled || error instanceof vscode.CancellationError) return;
  const l10n = vscode.l10n;
  const showLog: Button = {
    title: l10n.t("Show Log"),
    run: () => {
      log.show(true);
    },
  };
  if (!(error instanceof HelperError)) {
    log.error(forLog(error));
    void offer(plainText(errorWords(error, l10n), 500), [showLog]);
    return;
  }
  const fix = plainText(error.fix, 500);
  log.error(`${sentence(error.what, error.why)} ${fix}`);
  const buttons: Button[] = [];
  const mending = command ?? error.command;
  if (mending !== undefined)
    buttons.push({ title: l10n.t("Copy Command"), run: () => vscode.env.clipboard.writeText(mending) });
  const settings = () => vscode.commands.executeCommand("workbench.action.openSettings", "extrospect.helper.path");
  switch (error.problem) {
    case "untrusted":
      buttons.push({
        title: l10n.t("Manage Trust"),
        run: () => vscode.commands.executeCommand("workbench.trust.manage"),
      });
      break;
    case "unsupported":
      buttons.push({
        title: l10n.t("Start Capture on Another Host…"),
        run: () => vscode.commands.executeCommand(COMMANDS.attachOnHost),
      });
      break;
    case "unreachable":
      buttons.push(showLog);
      break;
    case "missing":
    case "notRunnable":
    case "versionMismatch":
    case "noAnswer":
      buttons.push({ title: l10n.t("Open Settings"), run: settings }, showLog);
      break;
    case "ended":
    case "tooManyRestarts":
      buttons.push(showLog, {
        title: l10n.t("Restart"),
        run: () => vscode.commands.executeCommand(COMMANDS.restartHelper),
      });
      break;
    case "refused":
      // No check can fix the absence of a process.
      if (error.code === ErrorCodes.noSuchTarget)
        buttons.push({
          title: l10n.t("Pick a VM"),
          run: () => vscode.commands.executeCommand(COMMANDS.attach, { host }),
        });
      else
        buttons.push(showLog, {
          title: l10n.t("Check Permissions and Setup"),
          run: () => vscode.commands.executeCommand(COMMANDS.doctor, { pid, host }),
        });
      break;
  }
  void offer(errorSentences(error), buttons);
}

async function offer(message: string, buttons: readonly Button[]): Promise<void> {
  const chosen = await showErrorMessage(message, ...buttons);
  await chosen?.run();
}
