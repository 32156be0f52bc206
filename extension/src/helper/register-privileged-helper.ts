// Installing and removing the privileged helper: the command is shown first, and then runs in view of the user.

import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import * as vscode from "vscode";
import type { ActivationContext } from "../activation-context.js";
import { COMMANDS, CONTEXT } from "../contributions.js";
import { isConfirmed, showInformationMessage } from "../messages/show-message.js";
import type { LocalHelper } from "./local-helper.js";
import {
  INSTALLED_GROUP,
  INSTALLED_PROGRAM,
  installCommand,
  joinCommand,
  removeCommand,
  type Surroundings,
} from "./privileged-helper.js";
import { showError } from "./show-error.js";

export function registerPrivilegedHelper({ context, log }: ActivationContext, helper: LocalHelper): void {
  const { l10n } = vscode;
  /**
   * Prompts the user, then types the command into a terminal of its own. It may prompt for a password there, which the
   * extension never sees.
   */
  const inTerminal = async (question: string, effect: string, command: string) => {
    const detail = `${effect} ${l10n.t("This runs in a terminal, which may prompt for a password: {0}", command)}`;
    if (!(await isConfirmed(question, l10n.t("Run in a Terminal"), detail))) return;
    const terminal = vscode.window.createTerminal({ name: "Extrospect" });
    terminal.show();
    terminal.sendText(command);
  };
  const run = (work: (program: string, surroundings: Surroundings) => Promise<void>) => async () => {
    try {
      const isRoot = process.getuid?.() === 0;
      await work(helper.bundledProgram(), {
        isRoot,
        user: isRoot ? "root" : userInfo().username,
        path: (process.env["PATH"] ?? "").split(":"),
      });
    } catch (error) {
      showError(error, log);
    }
  };
  const install = run((program, surroundings) => {
    const join = surroundings.isRoot ? "" : ` && ${joinCommand(surroundings)}`;
    return inTerminal(
      l10n.t("Install the privileged helper?"),
      l10n.t(
        "Root installs a copy of the helper at {0} for members of the group {1}, with the rights that sampling needs. With it, members can profile their own VMs; VMs of others only if root allows it. Log in again afterwards, so that the group takes effect.",
        INSTALLED_PROGRAM,
        INSTALLED_GROUP,
      ),
      `${installCommand(program, surroundings)}${join}`,
    );
  });
  const remove = run((program, surroundings) =>
    inTerminal(
      l10n.t("Remove the privileged helper?"),
      l10n.t("The copy at {0} is removed for all users.", INSTALLED_PROGRAM),
      removeCommand(program, surroundings),
    ),
  );
  const upgrade = async () => {
    const button = l10n.t("Install Privileged Helper");
    const text = l10n.t(
      "The privileged helper at {0} is of another version than this extension and is not used.",
      INSTALLED_PROGRAM,
    );
    if ((await showInformationMessage(text, button)) === button)
      await vscode.commands.executeCommand(COMMANDS.installPrivilegedHelper);
  };
  // The palette offers to remove it only where it is.
  const announce = () =>
    void vscode.commands.executeCommand("setContext", CONTEXT.privilegedHelper, existsSync(INSTALLED_PROGRAM));
  announce();
  context.subscriptions.push(
    vscode.window.onDidCloseTerminal(announce),
    vscode.commands.registerCommand(COMMANDS.installPrivilegedHelper, install),
    vscode.commands.registerCommand(COMMANDS.removePrivilegedHelper, remove),
    helper.onDidFindOtherVersion(() => void upgrade()),
  );
}
