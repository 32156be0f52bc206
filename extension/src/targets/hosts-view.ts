// The view of other hosts and of the VMs on those that are connected. It connects to none by itself.

import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import type { ActivationContext } from "../activation-context.js";
import { COMMANDS, CONTEXT, VIEWS } from "../contributions.js";
import { detachedItem } from "../detached/detached-item.js";
import { listedDetached, unlistedText } from "../detached/listed-detached.js";
import { withViewProgress } from "../messages/show-message.js";
import { addressKey, addressName, isSsh, type HostAddress } from "../remote/host-address.js";
import type { Hosts } from "../remote/hosts.js";
import type { HostState } from "../remote/remote-host.js";
import { errorText } from "../text/error-text.js";
import { registerHostCommands } from "./host-commands.js";
import { hostDescription, hostTooltip, type HostFacts } from "./host-description.js";
import { HostDragAndDrop } from "./host-drag-and-drop.js";
import {
  hostRows,
  vmRows,
  type ContainerRow,
  type FailureRow,
  type HostRow,
  type UnlistedRow,
  type VmRow,
} from "./host-rows.js";
import { targetItem } from "./target-item.js";
import { listedVms } from "./listed-vms.js";
import { selectFocused } from "./vm-row-commands.js";

const ICONS: Readonly<Record<HostState, string>> = {
  idle: "remote",
  connecting: "remote",
  connected: "vm-active",
  cut: "debug-disconnect",
  failed: "warning",
};

export class HostsView implements vscode.TreeDataProvider<HostRow>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #view: vscode.TreeView<HostRow>;
  readonly #listening: vscode.Disposable;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(
    private readonly hosts: Hosts,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#view = vscode.window.createTreeView(VIEWS.hosts, {
      treeDataProvider: this,
      dragAndDropController: new HostDragAndDrop(hosts.remembered),
    });
    this.#listening = hosts.onDidChange(() => {
      this.refresh();
    });
    this.#announce();
  }

  /** The row that a command is for when it was started by a key. */
  get selected(): HostRow | undefined {
    return this.#view.selection[0];
  }

  /** The VM of the row with the keyboard's focus, when a capture of it can start. */
  async focusedVm(): Promise<VmRow | undefined> {
    const row = await selectFocused(this.#view);
    return row?.kind === "vm" && row.attachable ? row : undefined;
  }

  getTreeItem(row: HostRow): vscode.TreeItem {
    switch (row.kind) {
      case "group":
        return groupItem(row.group);
      case "host":
        return this.#hostItem(row.host);
      case "container":
        return containerItem(row);
      case "vm":
        return vmItem(row);
      case "detached":
        return detachedItem(row);
      case "failure":
        return failureItem(row);
      case "unlisted":
        return unlistedItem(row);
    }
  }

  async getChildren(parent?: HostRow): Promise<HostRow[]> {
    if (!vscode.workspace.isTrusted) return [];
    const { all, groups } = this.hosts.remembered;
    switch (parent?.kind) {
      case undefined:
        return hostRows(all, groups);
      case "group":
        return hostRows(all, groups, parent.group);
      case "host":
        return this.#vmsOf(parent.host);
      case "container":
        return [...parent.vms];
      case "vm":
      case "detached":
      case "failure":
      case "unlisted":
        return [];
    }
  }

  /** Reads the connected hosts again. */
  refresh(): void {
    this.#announce();
    this.#changed.fire();
  }

  dispose(): void {
    this.#listening.dispose();
    this.#view.dispose();
    this.#changed.dispose();
  }

  async #vmsOf(host: HostAddress): Promise<HostRow[]> {
    const connected = this.hosts.find(host);
    if (connected?.state !== "connected") return [];
    try {
      const [beams, detached] = await withViewProgress(VIEWS.hosts, () =>
        Promise.all([listedVms(connected), listedDetached(connected, this.log)]),
      );
      const text = unlistedText(detached, vscode.l10n);
      return [
        ...vmRows(beams, host),
        ...detached.captures.map((each): HostRow => ({ kind: "detached", detached: each, host })),
        ...(text === "" ? [] : [{ kind: "unlisted", host, text } as const]),
      ];
    } catch (error) {
      this.log.error(`The VMs of ${addressName(host)} could not be listed: ${errorText(error)}`);
      return [{ kind: "failure", host, why: errorText(error) }];
    }
  }

  #hostItem(address: HostAddress): vscode.TreeItem {
    const { l10n } = vscode;
    const host = this.hosts.find(address);
    const machine = this.hosts.remembered.find(address)?.machine ?? "";
    const facts: HostFacts = {
      address,
      state: host?.state ?? "idle",
      machine,
      there: host?.there,
      checks: host?.checks,
    };
    const { state } = facts;
    const isConnected = state === "connected";
    const item = new vscode.TreeItem(
      addressName(address),
      isConnected ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None,
    );
    // With another id it is another row, which opens by itself.
    item.id = `${state} ${addressKey(address)}`;
    item.description = hostDescription(facts, l10n);
    item.tooltip = plainMarkdown(hostTooltip(facts, l10n));
    item.iconPath = new vscode.ThemeIcon(state === "idle" && !isSsh(address) ? "package" : ICONS[state]);
    item.contextValue = isConnected || state === "cut" ? "hostConnected" : "hostIdle";
    item.accessibilityInformation = { label: `${addressName(address)}, ${item.description}` };
    if (item.contextValue === "hostIdle")
      item.command = { command: COMMANDS.connectHost, title: l10n.t("Connect"), arguments: [{ host: address }] };
    return item;
  }

  /** Without a host there is no view. */
  #announce(): void {
    void vscode.commands.executeCommand("setContext", CONTEXT.hasHosts, this.hosts.remembered.all.length > 0);
  }
}

export function registerHosts({ context, log }: ActivationContext, hosts: Hosts): HostsView {
  const view = new HostsView(hosts, log);
  context.subscriptions.push(view);
  registerHostCommands({ context, log }, hosts, view);
  return view;
}

function groupItem(group: string): vscode.TreeItem {
  const item = new vscode.TreeItem(group, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `group ${group}`;
  item.iconPath = new vscode.ThemeIcon("folder");
  item.contextValue = "group";
  item.accessibilityInformation = { label: vscode.l10n.t("{0}, a group of hosts", group) };
  return item;
}

function containerItem({ host, id, name, vms }: ContainerRow): vscode.TreeItem {
  const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `container ${addressKey(host)} ${id}`;
  item.iconPath = new vscode.ThemeIcon("package");
  item.contextValue = "farContainer";
  item.accessibilityInformation = { label: vscode.l10n.t("{0}, a container with {1} VMs", name, vms.length) };
  return item;
}

function vmItem(row: VmRow): vscode.TreeItem {
  const item = targetItem(row);
  item.id = `${addressKey(row.host)} ${String(row.pid)}`;
  item.contextValue = row.attachable ? "farAttachable" : "farRefused";
  return item;
}

function failureItem({ host, why }: FailureRow): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t("The VMs could not be listed"));
  item.id = `failure ${addressKey(host)}`;
  item.description = plainText(why, 200);
  item.tooltip = `${plainText(why, 600)}\n${vscode.l10n.t("Click to list them again.")}`;
  item.iconPath = new vscode.ThemeIcon("warning");
  item.command = { title: vscode.l10n.t("Try Again"), command: COMMANDS.refreshHosts };
  return item;
}

function unlistedItem({ host, text }: UnlistedRow): vscode.TreeItem {
  const item = new vscode.TreeItem(text);
  item.id = `unlisted ${addressKey(host)}`;
  item.tooltip = text;
  item.iconPath = new vscode.ThemeIcon("warning");
  return item;
}

function plainMarkdown(text: string): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString(text);
  markdown.supportThemeIcons = false;
  return markdown;
}
