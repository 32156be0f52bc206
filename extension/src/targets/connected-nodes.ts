// `extrospect.connectedNodes`: from one node of a cluster the others. Nothing is connected to before the user has chosen it.

import { hostname, networkInterfaces } from "node:os";
import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import type { KnownNode, NodesResult, NodeState } from "../../../contract/protocol.generated.js";
import type { ActivationContext } from "../activation-context.js";
import { COMMANDS, SETTINGS } from "../contributions.js";
import { HelperError } from "../helper/helper-error.js";
import type { Helper } from "../helper/helper.js";
import { showError } from "../helper/show-error.js";
import { showQuickPick, type PickerRow } from "../messages/pickers.js";
import { showInformationMessage, withCancellableProgress } from "../messages/show-message.js";
import { addressName, type HostAddress } from "../remote/host-address.js";
import type { Hosts } from "../remote/hosts.js";
import { placeOfNode, type NodePlace } from "../remote/node-hosts.js";
import { setting } from "../settings.js";
import { hostOf, pidOf } from "./attach-arguments.js";
import { pickTarget } from "./pick-target.js";
import { listedVms, noVmOfName } from "./listed-vms.js";

interface Row extends PickerRow {
  readonly name: string;
  readonly place: NodePlace;
}

const ICONS: Readonly<Record<NodeState, string>> = {
  visible: "vm-active",
  hidden: "vm-active",
  pending: "sync",
  notConnected: "vm-outline",
};
const ORDER: readonly NodeState[] = ["visible", "hidden", "pending", "notConnected"];

export function registerConnectedNodes({ context, log }: ActivationContext, local: Helper, hosts: Hosts): void {
  const { l10n } = vscode;
  const connectedNodes = async (given?: unknown) => {
    const host = hostOf(given);
    let pid = pidOf(given);
    let shown = { pid, host };
    try {
      const helper = host === undefined ? local : await hosts.connected(host);
      pid ??= await pickTarget(helper, context, l10n.t("Connected Nodes"), host);
      if (pid === undefined) return undefined;
      shown = { pid, host };
      const wanted = { pid };
      const found = await withCancellableProgress(l10n.t("Finding the nodes that process {0} knows", pid), (token) =>
        helper.request("extrospect/nodes", wanted, token),
      );
      const chosen = await chosenNode(found, host);
      if (chosen === undefined) return undefined;
      return await attachTo(chosen, local, hosts);
    } catch (error) {
      showError(error, log, shown);
      return undefined;
    }
  };
  context.subscriptions.push(vscode.commands.registerCommand(COMMANDS.connectedNodes, connectedNodes));
}

async function chosenNode({ name, nodes }: NodesResult, host: HostAddress | undefined): Promise<Row | undefined> {
  const { l10n } = vscode;
  if (nodes.length === 0) {
    void showInformationMessage(
      name === null
        ? l10n.t("This VM is not a node of a cluster.")
        : l10n.t("{0} knows no other node.", plainText(name)),
    );
    return undefined;
  }
  const rules = setting(SETTINGS.nodeHosts);
  const machine = namesOfThisMachine();
  const ordered = nodes.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  const rows = ordered.map((node) => rowOf(node, placeOfNode(node.name, { host, name }, rules, machine)));
  const title = name === null ? l10n.t("Connected Nodes") : l10n.t("Nodes that {0} knows", plainText(name));
  return showQuickPick(rows, { title, placeHolder: l10n.t("Select a node"), ignoreFocusOut: true });
}

function rowOf({ name, state }: KnownNode, place: NodePlace): Row {
  return {
    name,
    place,
    label: plainText(name),
    icon: ICONS[state],
    description: `${stateText(state)} · ${placeText(place)}`,
  };
}

/** Finds the VM of that name where it runs, and attaches to it. */
async function attachTo({ name, place }: Row, local: Helper, hosts: Hosts): Promise<unknown> {
  const { l10n } = vscode;
  const setRule = l10n.t("Set extrospect.remote.nodeHosts, which maps nodes to hosts.");
  if (place.kind === "unknown")
    throw new HelperError(
      "unreachable",
      l10n.t("It is not known where {0} runs", plainText(name)),
      l10n.t("its name is not a host that ssh accepts"),
      setRule,
    );
  const host = place.kind === "host" ? place.address : undefined;
  const helper = host === undefined ? local : await hosts.connected(host);
  const title = l10n.t("Searching for {0} on {1}", plainText(name), placeText(place));
  const beams = await withCancellableProgress(title, (token) => listedVms(helper, token));
  const beam =
    beams.find(({ node, attachable }) => node === name && attachable) ?? beams.find(({ node }) => node === name);
  if (beam === undefined)
    throw new HelperError("unreachable", noVmOfName(beams, name, l10n), placeText(place), setRule);
  return vscode.commands.executeCommand(beam.attachable ? COMMANDS.attach : COMMANDS.explainTarget, { ...beam, host });
}

function placeText(place: NodePlace): string {
  const { l10n } = vscode;
  switch (place.kind) {
    case "host":
      return addressName(place.address);
    case "thisMachine":
      return l10n.t("this machine");
    case "unknown":
      return l10n.t("host unknown");
  }
}

function stateText(state: NodeState): string {
  const { l10n } = vscode;
  switch (state) {
    case "visible":
      return l10n.t("connected");
    case "hidden":
      return l10n.t("connected, hidden");
    case "pending":
      return l10n.t("about to connect");
    case "notConnected":
      return l10n.t("not connected");
  }
}

function namesOfThisMachine(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [hostname(), ...addresses.map(({ address }) => address)];
}
