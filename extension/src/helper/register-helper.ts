// The helper's commands, and the message when it keeps ending.

import * as vscode from "vscode";
import { COMMANDS } from "../contributions.js";
import { withStatusBarProgress } from "../messages/show-message.js";
import type { ActivationContext } from "../activation-context.js";
import { LocalHelper } from "./local-helper.js";
import { registerPrivilegedHelper } from "./register-privileged-helper.js";
import { showError } from "./show-error.js";

/** The one helper of this window; it is not started here. `stop` must be waited for when the extension ends. */
export function registerHelper(activation: ActivationContext): LocalHelper {
  const { context, log } = activation;
  const helper = new LocalHelper(context, log);
  const restart = () =>
    withStatusBarProgress(vscode.l10n.t("Restarting the helper…"), async () => {
      try {
        await helper.restart();
      } catch (error) {
        showError(error, log);
      }
    });
  context.subscriptions.push(
    vscode.commands.registerCommand(COMMANDS.restartHelper, restart),
    vscode.commands.registerCommand(COMMANDS.showLog, () => {
      log.show();
    }),
    helper.onDidGiveUp((error) => {
      showError(error, log);
    }),
  );
  registerPrivilegedHelper(activation, helper);
  return helper;
}
