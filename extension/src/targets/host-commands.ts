// Commands of the view of other hosts.

import * as vscode from "vscode";
import type { ActivationContext } from "../activation-context.js";
import { COMMANDS } from "../contributions.js";
import { showError } from "../helper/show-error.js";
import { showInputBox, showQuickPick, type PickerRow } from "../messages/pickers.js";
import { addressName, type HostAddress } from "../remote/host-address.js";
import { isGroupName, type ListPlace } from "../remote/host-list.js";
import type { Hosts } from "../remote/hosts.js";
import { hostOf } from "./attach-arguments.js";
import { placeOf } from "./host-place.js";
import type { HostRow } from "./host-rows.js";

interface GroupChoice extends PickerRow {
  /** Empty: none. */
  readonly group?: string;
}

/** The view that the commands are of. */
interface View {
  readonly selected: HostRow | undefined;
  refresh(): void;
}

export function registerHostCommands({ context, log }: ActivationContext, hosts: Hosts, view: View): void {
  const { remembered } = hosts;
  const ofPlace = (work: (place: ListPlace) => Promise<unknown>) => async (given?: unknown) => {
    // A key has no row as argument.
    const row = given ?? view.selected;
    const place = placeOf(row);
    try {
      if (place !== undefined) await work(place);
    } catch (error) {
      showError(error, log, { host: hostOf(row) });
    }
  };
  const ofHost = (work: (host: HostAddress) => Promise<unknown>) =>
    ofPlace(async (place) => ("address" in place ? work(place.address) : undefined));
  const commands: readonly (readonly [string, (given?: unknown) => unknown])[] = [
    [COMMANDS.connectHost, ofHost((host) => hosts.connected(host))],
    [COMMANDS.disconnectHost, ofHost((host) => hosts.disconnect(host))],
    [COMMANDS.forgetHost, ofHost((host) => hosts.forget(host))],
    [
      COMMANDS.moveHostToGroup,
      ofHost(async (host) => {
        const group = await chosenGroup(host, remembered.groups, remembered.find(host)?.group ?? "");
        if (group !== undefined) await remembered.moveToGroup(host, group);
      }),
    ],
    [
      COMMANDS.renameHostGroup,
      ofPlace(async (place) => {
        if (!("group" in place)) return;
        const name = await typedGroup(vscode.l10n.t("Rename the Group {0}", place.group), place.group);
        if (name !== undefined) await remembered.renameGroup(place.group, name);
      }),
    ],
    [COMMANDS.moveHostUp, ofPlace((place) => remembered.step(place, -1))],
    [COMMANDS.moveHostDown, ofPlace((place) => remembered.step(place, 1))],
    [COMMANDS.refreshHosts, () => view.refresh()],
  ];
  for (const [name, command] of commands) context.subscriptions.push(vscode.commands.registerCommand(name, command));
}

/** The group that the user chose or named; empty for none, undefined when they changed their mind. */
async function chosenGroup(host: HostAddress, groups: readonly string[], current: string): Promise<string | undefined> {
  const { l10n } = vscode;
  const title = l10n.t("Move {0} to a Group", addressName(host));
  const rows: GroupChoice[] = [
    ...groups.map((group) => ({
      group,
      icon: "folder",
      label: group,
      ...(group === current && { description: l10n.t("current group") }),
    })),
    ...(current === "" ? [] : [{ group: "", icon: "close", label: l10n.t("No group") }]),
    { icon: "new-folder", label: l10n.t("New group…"), alwaysShow: true },
  ];
  const chosen = await showQuickPick(rows, { title, placeHolder: l10n.t("The group that the host is shown in") });
  return chosen === undefined ? undefined : (chosen.group ?? typedGroup(title, ""));
}

async function typedGroup(title: string, value: string): Promise<string | undefined> {
  const { l10n } = vscode;
  const validate = (text: string) =>
    text.trim() === "" || isGroupName(text.trim()) ? undefined : l10n.t("Enter a group name of at most 60 characters");
  const text = await showInputBox({ title, prompt: l10n.t("Name of the group"), value, validate });
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}
