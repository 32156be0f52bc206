// Asks which VMs to attach to at once: those of this machine and of the hosts that are connected.

import * as vscode from "vscode";
import { addressName, type HostAddress } from "../remote/host-address.js";
import { plainText } from "../../../contract/plain-text.js";
import type { BeamRow } from "../../../contract/protocol.generated.js";
import { errorText } from "../text/error-text.js";
import { showManyPick, type PickerRow } from "../messages/pickers.js";
import { showInformationMessage, withCancellableProgress } from "../messages/show-message.js";
import type { HelperConnection } from "../helper/helper-connection.js";
import { listedVms } from "./listed-vms.js";
import { byUsefulness, targetDescription, targetName } from "./target-description.js";

/** Where VMs are looked for. */
export interface Place {
  /** Undefined for this machine. */
  readonly host: HostAddress | undefined;
  readonly helper: HelperConnection;
}

export interface PickedTarget extends Place {
  readonly beam: BeamRow;
}

interface Row extends PickerRow {
  readonly target?: PickedTarget;
}

/** The VMs that the user chose; undefined when they changed their mind. A place that cannot be asked is left out, with a word in the log. */
export async function pickTargets(places: readonly Place[], log: vscode.LogOutputChannel): Promise<PickedTarget[] | undefined> {
  const l10n = vscode.l10n;
  const found = await withCancellableProgress(l10n.t("Looking for VMs"), (token) =>
    Promise.all(
      places.map(async (place) => {
        try {
          const beams = await listedVms(place.helper, token);
          return { place, beams: byUsefulness(beams).filter(({ attachable }) => attachable) };
        } catch (error) {
          // With one place there is nothing else to choose from.
          if (places.length === 1 || token.isCancellationRequested) throw error;
          log.error(`The VMs of ${place.host === undefined ? "this machine" : addressName(place.host)} could not be listed: ${errorText(error)}`);
          return { place, beams: [] };
        }
      }),
    ),
  );
  const rows = found.flatMap(({ place, beams }): Row[] => {
    if (beams.length === 0) return [];
    const title = place.host === undefined ? l10n.t("This machine") : plainText(addressName(place.host), 80);
    return [{ kind: vscode.QuickPickItemKind.Separator, label: title }, ...beams.map((beam) => rowOf(place, beam))];
  });
  if (rows.length === 0) {
    void showInformationMessage(l10n.t("No Erlang VM was found that can be attached to."));
    return undefined;
  }
  const chosen = await showManyPick(rows, { title: l10n.t("Attach to Several VMs"), placeHolder: l10n.t("The VMs to capture together") });
  const targets = chosen?.flatMap(({ target }) => (target === undefined ? [] : [target]));
  return targets === undefined || targets.length === 0 ? undefined : targets;
}

function rowOf(place: Place, beam: BeamRow): Row {
  return { target: { ...place, beam }, icon: "vm-running", label: targetName(beam), description: targetDescription(beam, vscode.l10n, vscode.env.language), detail: plainText(beam.command, 160) };
}
