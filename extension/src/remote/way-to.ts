// Which way leads to a host, by what the user has set.

import * as vscode from "vscode";
import { SETTINGS } from "../contributions.js";
import { HelperError } from "../helper/helper-error.js";
import { setting } from "../settings.js";
import { commandTemplates, type CommandTemplate } from "./command-template.js";
import { commandWay, GIVEN_FILES } from "./command-way.js";
import { addressName, isSsh, type HostAddress } from "./host-address.js";
import type { HostWay } from "./host-way.js";
import { questionsReachUser } from "./ssh-command.js";
import { sshWay } from "./ssh-way.js";

/** The commands that the user has, by name. */
export function commandsSet(): Map<string, CommandTemplate> {
  return commandTemplates(setting(SETTINGS.remoteCommands));
}

/** @throws {HelperError} when there is none any more, or the address does not go into it */
export function wayTo(
  address: HostAddress,
  { asAbsolutePath }: Pick<vscode.ExtensionContext, "asAbsolutePath">,
): HostWay {
  const { l10n } = vscode;
  if (isSsh(address)) {
    const program = setting(SETTINGS.sshProgram).trim() || "ssh";
    return sshWay(
      address.ssh,
      { program, startBy: setting(SETTINGS.remoteStartBy), canPrompt: questionsReachUser(process.platform) },
      l10n,
    );
  }
  const template = commandsSet().get(address.command);
  if (template === undefined)
    throw new HelperError(
      "unreachable",
      l10n.t("No connection leads to {0}", addressName(address)),
      l10n.t("`extrospect.remote.commands` has no valid command {0}", address.command),
      l10n.t("Add it there, or forget this host."),
    );
  const given = Object.fromEntries(Object.entries(GIVEN_FILES).map(([name, file]) => [name, asAbsolutePath(file)]));
  return commandWay({ name: addressName(address), template, values: address.values, given }, l10n);
}
