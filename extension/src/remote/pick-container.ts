// Prompts for the container to attach in: the command that leads there, then the values of its placeholders.

import * as vscode from "vscode";
import type { BeamRow } from "../../../contract/protocol.generated.js";
import { SETTINGS } from "../contributions.js";
import type { HelperConnection } from "../helper/helper-connection.js";
import { showInputBox, showQuickPick, type PickerRow } from "../messages/pickers.js";
import { GIVEN_FILES } from "./command-way.js";
import { isPlaceholderValue, type CommandTemplate, type Placeholder } from "./command-template.js";
import { canBeSuggested, suggestionsFor } from "./container-suggestions.js";
import { addressName, isSsh, type CommandAddress, type HostAddress } from "./host-address.js";
import type { Hosts } from "./hosts.js";
import { commandsSet } from "./way-to.js";

interface Row extends PickerRow {
  readonly address?: HostAddress;
  readonly command?: readonly [string, CommandTemplate];
}

/** The container; undefined when the user changed their mind. @param local finds the VMs of this machine */
export async function pickContainer(
  hosts: Hosts,
  local: HelperConnection,
  title: string,
): Promise<HostAddress | undefined> {
  const { l10n } = vscode;
  const commands = commandsSet();
  const before = hosts.remembered.addresses.filter((address) => !isSsh(address) && commands.has(address.command));
  const rows = before.map((address): Row => ({
    address,
    icon: hosts.find(address)?.state === "connected" ? "vm-active" : "package",
    label: addressName(address),
    description: hosts.find(address)?.state === "connected" ? l10n.t("connected") : l10n.t("used before"),
  }));
  const ways = [...commands].map((command): Row => ({
    command,
    icon: "terminal",
    label: command[0],
    description: command[1].text,
  }));
  const change: Row = { icon: "settings-gear", label: l10n.t("Change these commands…"), alwaysShow: true };
  const chosen = await showQuickPick([...rows, ...ways, change], {
    title,
    placeHolder: l10n.t("The command that opens a shell in the container"),
    ignoreFocusOut: true,
  });
  if (chosen === undefined) return undefined;
  if (chosen.address !== undefined) return chosen.address;
  if (chosen.command !== undefined) return filledIn(chosen.command, local, title);
  await vscode.commands.executeCommand("workbench.action.openSettings", `extrospect.${SETTINGS.remoteCommands}`);
  return undefined;
}

async function filledIn(
  [command, template]: readonly [string, CommandTemplate],
  local: HelperConnection,
  title: string,
): Promise<CommandAddress | undefined> {
  const wanted = template.placeholders.filter(({ name }) => !Object.hasOwn(GIVEN_FILES, name));
  const beams = wanted.some(({ name }) => canBeSuggested(name)) ? await vmsHere(local) : [];
  const values: Record<string, string> = {};
  for (const placeholder of wanted) {
    const value = await valueFor(placeholder, { command, template, values, beams, title });
    if (value === undefined) return undefined;
    values[placeholder.name] = value;
  }
  return { command, values };
}

/** Those that the helper lists here; without one there is nothing to suggest. */
async function vmsHere(local: HelperConnection): Promise<readonly BeamRow[]> {
  try {
    return (await local.request("extrospect/list", {})).beams;
  } catch {
    return []; // Each value can be typed.
  }
}

interface ContainerPrompt {
  readonly command: string;
  readonly template: CommandTemplate;
  readonly values: Readonly<Record<string, string>>;
  readonly beams: readonly BeamRow[];
  readonly title: string;
}

/** An empty text for an optional one without a value; undefined when the user changed their mind. */
async function valueFor(
  { name, isOptional }: Placeholder,
  { command, template, values, beams, title }: ContainerPrompt,
): Promise<string | undefined> {
  const { l10n } = vscode;
  const suggestions = suggestionsFor(name, template, values, beams);
  if (suggestions.length > 0) {
    const rows = suggestions.map(({ value, description }) => ({ value, label: value, description, icon: "package" }));
    const others = [
      ...(isOptional ? [{ value: "", label: l10n.t("Leave it out"), icon: "circle-slash", alwaysShow: true }] : []),
      { value: undefined, label: l10n.t("Enter another…"), icon: "edit", alwaysShow: true },
    ];
    const chosen = await showQuickPick([...rows, ...others], {
      title,
      placeHolder: l10n.t("{0} for {1}", name, command),
      ignoreFocusOut: true,
    });
    if (chosen === undefined) return undefined;
    if (chosen.value !== undefined) return chosen.value;
  }
  const text = await showInputBox({
    title,
    prompt: isOptional
      ? l10n.t("{0} for {1}; empty: it is omitted", name, command)
      : l10n.t("{0} for {1}", name, command),
    ignoreFocusOut: true,
    validate: (typed) =>
      typed.trim() === "" || isPlaceholderValue(typed.trim())
        ? undefined
        : l10n.t("Only letters, digits and _ . @ : / + = , -, and no leading dash"),
  });
  if (text === undefined || (text.trim() === "" && !isOptional)) return undefined;
  return text.trim();
}
