// The Targets view and what belongs to it.

import * as vscode from "vscode";
import { COMMANDS, SETTINGS } from "../contributions.js";
import type { LocalHelper } from "../helper/local-helper.js";
import { showInformationMessage } from "../messages/show-message.js";
import type { Hosts } from "../remote/hosts.js";
import type { ActivationContext } from "../activation-context.js";
import { registerDoctor } from "./doctor-command.js";
import { TargetsView } from "./targets-view.js";

/** @param isCapturing whether a capture is running, which restarting the helper would end */
export function registerTargets(
  { context, log }: ActivationContext,
  helper: LocalHelper,
  hosts: Hosts,
  isCapturing: () => boolean,
): TargetsView {
  const view = new TargetsView(helper, context.workspaceState, log, isCapturing);
  registerDoctor(
    context,
    log,
    (host) => (host === undefined ? Promise.resolve(helper) : hosts.connected(host)),
    (pid) => view.row(pid),
  );
  const settings = vscode.workspace.onDidChangeConfiguration(async (change) => {
    if (
      ![SETTINGS.helperPath, SETTINGS.helperStartBy].some((name) => change.affectsConfiguration(`extrospect.${name}`))
    )
      return;
    if (!isCapturing()) {
      // The next request starts the other program.
      await helper.stop();
      if (view.isVisible) await view.refresh();
      return;
    }
    const restart = vscode.l10n.t("Restart Helper");
    const message = vscode.l10n.t(
      "The other helper is used once the helper is restarted, which ends the running capture.",
    );
    if ((await showInformationMessage(message, restart)) === restart)
      await vscode.commands.executeCommand(COMMANDS.restartHelper);
  });
  context.subscriptions.push(
    view,
    settings,
    vscode.commands.registerCommand(COMMANDS.refreshTargets, () => view.refresh()),
  );
  return view;
}
