// What captures record, as a row of the list in which a VM is chosen: CPU time, or blocked time beside it.

import * as vscode from "vscode";
import { typeWithin } from "../../../contract/sample-type-words.js";
import type { SampleTypeId } from "../../../contract/sample-types.generated.js";
import { SETTINGS } from "../contributions.js";
import type { Helper } from "../helper/helper.js";
import { showQuickPick } from "../messages/pickers.js";
import { setting, updateSetting } from "../settings.js";
import type { ExtraRow } from "../targets/pick-target.js";
import { recorded } from "./recorded-types.js";

const CHOICES: readonly (readonly SampleTypeId[])[] = [
  ["cpu"],
  ["cpu", "off-cpu"],
  ["cpu", "faults"],
  ["cpu", "off-cpu", "faults"],
];

/** Undefined where the helper records CPU time alone. */
export async function recordedTypesRow(helper: Helper): Promise<ExtraRow | undefined> {
  const offered = recorded(await helper.capabilities());
  const choices = CHOICES.filter((types) => types.every((type) => offered.includes(type)));
  if (choices.length < 2) return undefined;
  return {
    row: () => ({
      icon: "list-selection",
      label: vscode.l10n.t("Record {0}", typesText(setting(SETTINGS.captureTypes))),
      description: vscode.l10n.t("choose what captures record"),
    }),
    run: () => chooseTypes(choices),
  };
}

async function chooseTypes(choices: readonly (readonly SampleTypeId[])[]): Promise<void> {
  const l10n = vscode.l10n;
  const now = typesText(setting(SETTINGS.captureTypes));
  const rows = choices.map((types) => {
    const label = typesText(types);
    return { label, types, ...(label === now && { description: l10n.t("now") }) };
  });
  const chosen = await showQuickPick(rows, {
    title: l10n.t("What captures record"),
    placeHolder: l10n.t(
      "Blocked time and page faults need the engine bpf, and cost the VM a little at each switch and each fault",
    ),
  });
  if (chosen !== undefined) await updateSetting(SETTINGS.captureTypes, chosen.types);
}

/** `CPU time and blocked time`, `CPU time, blocked time and page faults`. */
function typesText(types: readonly SampleTypeId[]): string {
  const names = types.map((type) => typeWithin(type, vscode.l10n));
  const last = names.pop() ?? "";
  return names.length === 0 ? last : vscode.l10n.t("{0} and {1}", names.join(", "), last);
}
