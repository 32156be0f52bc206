// Machines whose VMs are offered in a picker, and what each answered.

import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import type { HelperConnection } from "../helper/helper-connection.js";
import { Cancelled } from "../helper/helper-error.js";
import { addressName, type HostAddress } from "../remote/host-address.js";
import { errorText } from "../text/error-text.js";
import { listedVms } from "./listed-vms.js";
import { targetDescription, targetName, distinguishingWords, type ListedVm } from "./target-description.js";

/** Where VMs are looked for. */
export interface Place {
  /** Undefined for this machine. */
  readonly host: HostAddress | undefined;
  readonly helper: HelperConnection;
}

/** Its VMs, or why they could not be listed. */
export type PlaceAnswer = { readonly beams: readonly ListedVm[] } | { readonly failure: Error };

/** @returns undefined once no caller waits for the answer any longer */
export async function vmsOf({ helper }: Place, token: vscode.CancellationToken): Promise<PlaceAnswer | undefined> {
  try {
    return { beams: await listedVms(helper, token) };
  } catch (error) {
    if (error instanceof Cancelled) return undefined;
    return { failure: error instanceof Error ? error : new Error(String(error)) };
  }
}

export function placeName({ host }: Place): string {
  return host === undefined ? vscode.l10n.t("This machine") : plainText(addressName(host), 80);
}

/** The row that stands in the place of its VMs. */
export function failureRow(
  place: Place,
  failure: Error,
): { readonly icon: string; readonly label: string; readonly description: string } {
  const { l10n } = vscode;
  return {
    icon: "warning",
    label: l10n.t("The VMs of {0} could not be listed", placeName(place)),
    description: plainText(errorText(failure), 200),
  };
}

/** The row of a VM, as far as all pickers have it. */
export function beamRow(beam: ListedVm): {
  readonly icon: string;
  readonly label: string;
  readonly description: string;
  readonly detail: string;
} {
  return {
    icon: beam.attachable ? "vm-running" : "circle-slash",
    label: targetName(beam),
    description: targetDescription(beam, vscode.l10n, vscode.env.language),
    detail: plainText(distinguishingWords(beam.command).join(" ") || beam.command, 160),
  };
}

/** The button that looks again. */
export function refreshButton(): vscode.QuickInputButton {
  return { iconPath: new vscode.ThemeIcon("refresh"), tooltip: vscode.l10n.t("Refresh") };
}
