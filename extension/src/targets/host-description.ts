// How a host is described in its row. No vscode in here.

import { escapeMarkdown, plainText, type Words } from "../../../contract/plain-text.js";
import type { DoctorRow } from "../../../contract/protocol.generated.js";
import { INSTALLED_PROGRAM } from "../helper/privileged-helper.js";
import { addressName, type HostAddress } from "../remote/host-address.js";
import type { HelperThere, HostState } from "../remote/remote-host.js";
import { commandsOf } from "./doctor-report.js";
import { missingRights, rightsText } from "./host-rights.js";

export interface HostFacts {
  readonly address: HostAddress;
  readonly state: HostState;
  /** What its captures say that it is called; empty when that is not known. */
  readonly machine: string;
  /** Undefined while nothing runs there. */
  readonly there: HelperThere | undefined;
  /** The doctor's report; undefined until it is known. */
  readonly checks: readonly DoctorRow[] | undefined;
}

/** `connected · own VMs only` */
export function hostDescription(facts: HostFacts, l10n: Words): string {
  const rights = facts.state === "connected" ? rightsOf(facts, l10n) : undefined;
  return [stateText(facts.state, l10n), ...(rights === undefined ? [] : [rights])].join(" · ");
}

/** Its known facts as Markdown; everything from the host is shown as plain text. */
export function hostTooltip(facts: HostFacts, l10n: Words): string {
  const { address, state, machine, there, checks } = facts;
  const rights = rightsOf(facts, l10n);
  // Where the copy is installed, another installation gives no further rights.
  const isAll = missingRights(checks ?? []).every((right) => there?.isInstalled === true && right === "otherUsers");
  const mends = rights === undefined || isAll ? undefined : commandsOf(checks ?? [])[0];
  const rows: [string, string | undefined][] = [
    [l10n.t("State"), stateText(state, l10n)],
    [l10n.t("Machine"), machine],
    [l10n.t("Helper there"), there?.version],
    [l10n.t("Location"), there === undefined ? undefined : whereText(there, l10n)],
    [l10n.t("Rights"), rights],
    [l10n.t("More by"), mends],
  ];
  const table = rows
    .filter(([, value]) => (value ?? "") !== "")
    .map(([name, value]) => `| ${escapeMarkdown(name)} | ${escapeMarkdown(plainText(value ?? "", 400))} |`);
  return [`**${escapeMarkdown(addressName(address))}**`, "", "| | |", "|:--|:--|", ...table].join("\n");
}

function rightsOf({ there, checks }: HostFacts, l10n: Words): string | undefined {
  if (there === undefined || checks === undefined || checks.length === 0) return undefined;
  return rightsText(missingRights(checks), there.isInstalled, l10n);
}

function whereText({ isInstalled, startBy }: HelperThere, l10n: Words): string {
  const where = isInstalled
    ? l10n.t("the installed copy, {0}", INSTALLED_PROGRAM)
    : l10n.t("the cache of your user there");
  return startBy === "itself" ? where : l10n.t("{0}, started by {1}", where, startBy);
}

function stateText(state: HostState, l10n: Words): string {
  switch (state) {
    case "connected":
      return l10n.t("connected");
    case "connecting":
      return l10n.t("connecting…");
    case "cut":
      return l10n.t("connection interrupted, connecting again…");
    case "failed":
      return l10n.t("no connection");
    case "idle":
      return l10n.t("not connected");
  }
}
