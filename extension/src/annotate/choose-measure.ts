// The one switch of all views: whether they go by own, self or total time.

import * as vscode from "vscode";
import { MEASURES, type Measure } from "../../../contract/capture-answers.js";
import { SETTINGS } from "../contributions.js";
import { showQuickPick, type PickerRow } from "../messages/pickers.js";
import { setting } from "../settings.js";
import { isMeasure } from "../setting-values.js";
import { updateSetting } from "./annotate-settings.js";

interface MeasureRow extends PickerRow {
  readonly measure: Measure;
}

/** @param given a measure, for key bindings; the user is asked without one */
export async function chooseMeasure(given: unknown): Promise<void> {
  const measure = isMeasure(given) ? given : await ask();
  if (measure !== undefined) await updateSetting(SETTINGS.measure, measure);
}

async function ask(): Promise<Measure | undefined> {
  const now = setting(SETTINGS.measure);
  const words: Record<Measure, { readonly label: string; readonly detail: string }> = {
    own: {
      label: vscode.l10n.t("Own"),
      detail: vscode.l10n.t("A sample counts for the innermost function and line of your own code, with all it called: libraries, OTP, C code, collections, the kernel"),
    },
    self: { label: vscode.l10n.t("Self"), detail: vscode.l10n.t("A sample counts for the Erlang function that ran, with the C code it called") },
    total: { label: vscode.l10n.t("Total"), detail: vscode.l10n.t("A sample counts for every function in its stack, once for each") },
  };
  const rows = MEASURES.map((measure): MeasureRow => ({ ...words[measure], measure, ...(measure === now && { description: vscode.l10n.t("now") }) }));
  const picked = await showQuickPick(rows, {
    title: vscode.l10n.t("What do lenses, marks and tables go by?"),
    placeHolder: vscode.l10n.t("Holds for all views at once"),
  });
  return picked?.measure;
}
