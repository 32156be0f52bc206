// Prompts for the host to connect to.

import * as vscode from "vscode";
import { showInputBox, showQuickPick, type PickerRow } from "../messages/pickers.js";
import { isSsh, type HostAddress } from "./host-address.js";
import type { Hosts } from "./hosts.js";
import { isDestination } from "./ssh-command.js";
import { configuredHosts } from "./ssh-config.js";

interface Row extends PickerRow {
  readonly destination?: string;
}

/** The host, by ssh; undefined when the user changed their mind. */
export async function pickHost(hosts: Hosts, title: string): Promise<HostAddress | undefined> {
  const { l10n } = vscode;
  const used = hosts.remembered.addresses.filter(isSsh).map(({ ssh }) => ssh);
  const known = [...new Set([...used, ...configuredHosts()])];
  const rows = known.map((destination): Row => {
    const isConnected = hosts.find({ ssh: destination })?.state === "connected";
    return {
      destination,
      label: destination,
      icon: isConnected ? "vm-active" : "remote",
      ...(isConnected && { description: l10n.t("connected") }),
    };
  });
  const typing: Row = { icon: "edit", label: l10n.t("Enter a host…"), alwaysShow: true };
  const chosen = await showQuickPick([...rows, typing], {
    title,
    placeHolder: l10n.t("Hosts of your ssh configuration, and those used before"),
    ignoreFocusOut: true,
  });
  if (chosen === undefined) return undefined;
  const destination = chosen.destination ?? (await typed(title));
  return destination === undefined ? undefined : { ssh: destination };
}

async function typed(title: string): Promise<string | undefined> {
  const { l10n } = vscode;
  const text = await showInputBox({
    title,
    prompt: l10n.t("Host as ssh accepts it: a name of its configuration, user@host, ssh://user@host:port"),
    ignoreFocusOut: true,
    validate: (destination) =>
      destination.trim() === "" || isDestination(destination.trim())
        ? undefined
        : l10n.t("Not a host that ssh accepts"),
  });
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}
