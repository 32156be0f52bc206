// The view of other hosts and of the VMs on those that are connected. It connects to none by itself.

import * as vscode from "vscode";
import type { BeamRow } from "../../../contract/protocol.generated.js";
import type { ActivationContext } from "../activation-context.js";
import { COMMANDS, CONTEXT, VIEWS } from "../contributions.js";
import { detachedItem } from "../detached/detached-item.js";
import type { DetachedRow } from "../detached/detached-rows.js";
import { listedDetached } from "../detached/listed-detached.js";
import { showError } from "../helper/show-error.js";
import { withViewProgress } from "../messages/show-message.js";
import { addressKey, addressName, isSsh, type HostAddress } from "../remote/host-address.js";
import type { Hosts } from "../remote/hosts.js";
import type { HostState } from "../remote/remote-host.js";
import { errorText } from "../text/error-text.js";
import { hostOf } from "./attach-arguments.js";
import { byUsefulness } from "./target-description.js";
import { targetItem } from "./target-item.js";

/** Commands of the view get a row as argument and read `host`, and `pid` if there is one. */
export type HostRow = { readonly host: HostAddress; readonly pid?: undefined; readonly detached?: undefined } | VmRow | DetachedHostRow;
type VmRow = BeamRow & { readonly host: HostAddress; readonly detached?: undefined };
type DetachedHostRow = DetachedRow & { readonly host: HostAddress; readonly pid?: undefined };

const ICONS: Readonly<Record<HostState, string>> = { idle: "remote", connecting: "remote", connected: "vm-active", cut: "debug-disconnect", failed: "warning" };

export class HostsView implements vscode.TreeDataProvider<HostRow>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #view: vscode.TreeView<HostRow>;
  readonly #listening: vscode.Disposable;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(
    private readonly hosts: Hosts,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#view = vscode.window.createTreeView(VIEWS.hosts, { treeDataProvider: this });
    this.#listening = hosts.onDidChange(() => {
      this.refresh();
    });
    this.#announce();
  }

  getTreeItem(row: HostRow): vscode.TreeItem {
    if (row.detached !== undefined) return detachedItem(row);
    return row.pid === undefined ? this.#hostItem(row.host) : beamItem(row);
  }

  async getChildren(parent?: HostRow): Promise<HostRow[]> {
    if (!vscode.workspace.isTrusted) return [];
    if (parent === undefined) return this.hosts.remembered.map((host) => ({ host }));
    const connected = this.hosts.find(parent.host);
    if (parent.pid !== undefined || parent.detached !== undefined || connected?.state !== "connected") return [];
    const { host } = parent;
    try {
      const [{ beams }, detached] = await withViewProgress(VIEWS.hosts, () => Promise.all([connected.request("extrospect/list", {}), listedDetached(connected, this.log)]));
      return [...byUsefulness(beams).map((beam) => ({ ...beam, host })), ...detached.map((each) => ({ detached: each, host }))];
    } catch (error) {
      this.log.error(`The VMs of ${addressName(parent.host)} could not be listed: ${errorText(error)}`);
      return [];
    }
  }

  /** Looks again at what is connected. */
  refresh(): void {
    this.#announce();
    this.#changed.fire();
  }

  dispose(): void {
    this.#listening.dispose();
    this.#view.dispose();
    this.#changed.dispose();
  }

  #hostItem(host: HostAddress): vscode.TreeItem {
    const state = this.hosts.find(host)?.state ?? "idle";
    const isConnected = state === "connected";
    const item = new vscode.TreeItem(addressName(host), isConnected ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None);
    // With another id it is another row, which opens by itself.
    item.id = `${state} ${addressKey(host)}`;
    item.description = stateText(state);
    item.iconPath = new vscode.ThemeIcon(state === "idle" && !isSsh(host) ? "package" : ICONS[state]);
    item.contextValue = isConnected || state === "cut" ? "hostConnected" : "hostIdle";
    item.accessibilityInformation = { label: `${addressName(host)}, ${item.description}` };
    if (item.contextValue === "hostIdle") item.command = { command: COMMANDS.connectHost, title: vscode.l10n.t("Connect"), arguments: [{ host }] };
    return item;
  }

  /** Without a host there is no view. */
  #announce(): void {
    void vscode.commands.executeCommand("setContext", CONTEXT.hasHosts, this.hosts.remembered.length > 0);
  }
}

export function registerHosts({ context, log }: ActivationContext, hosts: Hosts): void {
  const view = new HostsView(hosts, log);
  const ofHost = (work: (host: HostAddress) => Promise<unknown>) => async (given?: unknown) => {
    const host = hostOf(given);
    try {
      if (host !== undefined) await work(host);
    } catch (error) {
      showError(error, log, { host });
    }
  };
  context.subscriptions.push(
    view,
    vscode.commands.registerCommand(
      COMMANDS.connectHost,
      ofHost((host) => hosts.connected(host)),
    ),
    vscode.commands.registerCommand(
      COMMANDS.disconnectHost,
      ofHost((host) => hosts.disconnect(host)),
    ),
    vscode.commands.registerCommand(
      COMMANDS.forgetHost,
      ofHost((host) => hosts.forget(host)),
    ),
    vscode.commands.registerCommand(COMMANDS.refreshHosts, () => {
      view.refresh();
    }),
  );
}

function beamItem(row: VmRow): vscode.TreeItem {
  const item = targetItem(row);
  item.id = `${addressKey(row.host)} ${String(row.pid)}`;
  item.contextValue = row.attachable ? "farAttachable" : "farRefused";
  return item;
}

function stateText(state: HostState): string {
  const { l10n } = vscode;
  switch (state) {
    case "connected":
      return l10n.t("connected");
    case "connecting":
      return l10n.t("connecting…");
    case "cut":
      return l10n.t("the line is cut, connecting again…");
    case "failed":
      return l10n.t("no connection");
    case "idle":
      return l10n.t("not connected");
  }
}
