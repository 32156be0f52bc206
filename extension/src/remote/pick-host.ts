// Asks which host to connect to.

import * as vscode from "vscode";
import { showInputBox, showQuickPick, type PickerRow } from "../messages/pickers.js";
import type { Hosts } from "./hosts.js";
import { isDestination } from "./ssh-command.js";
import { configuredHosts } from "./ssh-config.js";

interface Row extends PickerRow {
  readonly destination?: string;
}

/** The destination; undefined when the user changed their mind. */
export async function pickHost(hosts: Hosts, title: string): Promise<string | undefined> {
  const { l10n } = vscode;
  const connected = new Set(hosts.all.filter(({ state }) => state === "connected").map(({ destination }) => destination));
  const known = [...new Set([...hosts.remembered, ...configuredHosts()])];
  const rows = known.map((destination): Row => ({
    destination,
    label: destination,
    icon: connected.has(destination) ? "vm-active" : "remote",
    ...(connected.has(destination) && { description: l10n.t("connected") }),
  }));
  const typing: Row = { icon: "edit", label: l10n.t("Enter a host…"), alwaysShow: true };
  const chosen = await showQuickPick([...rows, typing], { title, placeHolder: l10n.t("Hosts of your ssh configuration, and those used before"), ignoreFocusOut: true });
  if (chosen === undefined) return undefined;
  return chosen.destination ?? typed(title);
}

async function typed(title: string): Promise<string | undefined> {
  const { l10n } = vscode;
  const text = await showInputBox({
    title,
    prompt: l10n.t("Host as ssh takes it: a name of its configuration, user@host, ssh://user@host:port"),
    ignoreFocusOut: true,
    validate: (destination) => (destination.trim() === "" || isDestination(destination.trim()) ? undefined : l10n.t("This is no host that ssh takes")),
  });
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}
