// The one switch of all views: whether they show own, self or total time.

import * as vscode from "vscode";
import { MEASURES, type Measure } from "../../../contract/capture-answers.js";
import { SETTINGS } from "../contributions.js";
import { showQuickPick, type PickerRow } from "../messages/pickers.js";
import { setting, updateSetting } from "../settings.js";
import { isMeasure } from "../setting-values.js";

interface MeasureRow extends PickerRow {
  readonly measure: Measure;
}

/** @param given a measure, for key bindings; without one, the user is prompted */
export async function chooseMeasure(given: unknown): Promise<void> {
  const measure = isMeasure(given) ? given : await ask();
  if (measure !== undefined) await updateSetting(SETTINGS.measure, measure);
}

async function ask(): Promise<Measure | undefined> {
  const now = setting(SETTINGS.measure);
  const words: Record<Measure, { readonly label: string; readonly detail: string }> = {
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
  const rows = MEASURES.map((measure): MeasureRow => ({
    ...words[measure],
    measure,
    ...(measure === now && { description: vscode.l10n.t("now") }),
  }));
  const picked = await showQuickPick(rows, {
    title: vscode.l10n.t("Attribution of time in lenses, marks and tables"),
    placeHolder: vscode.l10n.t("Applies to all views"),
  });
  return picked?.measure;
}
