// The one switch of all views: whether they show own, self or total time.

import * as vscode from "vscode";
import { ATTRIBUTIONS, type Attribution } from "../../../contract/capture-answers.js";
import { SETTINGS } from "../contributions.js";
import { showQuickPick, type PickerRow } from "../messages/pickers.js";
import { setting, updateSetting } from "../settings.js";
import { isAttribution } from "../setting-values.js";

interface AttributionRow extends PickerRow {
  readonly attribution: Attribution;
}

/** @param given an attribution, for key bindings; without one, the user is prompted */
export async function chooseAttribution(given: unknown): Promise<void> {
  const attribution = isAttribution(given) ? given : await ask();
  if (attribution !== undefined) await updateSetting(SETTINGS.attribution, attribution);
}

async function ask(): Promise<Attribution | undefined> {
  const now = setting(SETTINGS.attribution);
  const words: Record<Attribution, { readonly label: string; readonly detail: string }> = {
    own: {
      label: vscode.l10n.t("Own"),
      detail: vscode.l10n.t(
        "A sample counts for the innermost function and line of your own code, including everything it called: libraries, OTP, C code, collections, the kernel",
      ),
    },
    self: {
      label: vscode.l10n.t("Self"),
      detail: vscode.l10n.t("A sample counts for the Erlang function that ran, including the C code it called"),
    },
    total: {
      label: vscode.l10n.t("Total"),
      detail: vscode.l10n.t("A sample counts for every function in its stack, once for each"),
    },
  };
  const rows = ATTRIBUTIONS.map((attribution): AttributionRow => ({
    ...words[attribution],
    attribution,
    ...(attribution === now && { description: vscode.l10n.t("now") }),
  }));
  const picked = await showQuickPick(rows, {
    title: vscode.l10n.t("Attribution of time in lenses, marks and tables"),
    placeHolder: vscode.l10n.t("Applies to all views"),
  });
  return picked?.attribution;
}
