// The limits on how many captures are kept, and for how long. Nothing is deleted unasked.

import * as vscode from "vscode";
import { count } from "../../../contract/figures.js";
import { SETTINGS } from "../contributions.js";
import { showInformationMessage } from "../messages/show-message.js";
import { setting } from "../settings.js";
import { fileName } from "../text/base-name.js";
import type { CaptureStore } from "./capture-store.js";
import { deleteAfterAsking } from "./capture-transfer.js";
import type { CaptureRow } from "./captures-view.js";
import { beyondLimits } from "./retention.js";

/** Named in the question; of the others their number is told. */
const NAMED = 10;

/** @returns the captures that are beyond the limits by now; those that are open are kept */
export function capturesToDelete(rows: readonly CaptureRow[], captures: CaptureStore): CaptureRow[] {
  const limits = { keepAtMost: setting(SETTINGS.keepAtMost), keepDays: setting(SETTINGS.keepDays) };
  return beyondLimits(rows, limits, Date.now()).filter(({ uri }) => captures.get(uri) === undefined);
}

/** Asks whether to delete them, and does. @returns whether it did */
export async function tidyCaptures(rows: readonly CaptureRow[], captures: CaptureStore): Promise<boolean> {
  const l10n = vscode.l10n;
  const beyond = capturesToDelete(rows, captures);
  if (beyond.length === 0) {
    void showInformationMessage(l10n.t("No capture is beyond the limits (settings extrospect.capture.keepAtMost and keepDays)."));
    return false;
  }
  const number = count(beyond.length, vscode.env.language);
  const names = beyond.slice(0, NAMED).map(({ uri }) => fileName(uri));
  const others = beyond.length > NAMED ? [l10n.t("and {0} others", count(beyond.length - NAMED, vscode.env.language))] : [];
  const detail = [[...names, ...others].join(", "), l10n.t("Pinned captures and those that are open are kept.")].join(". ");
  return deleteAfterAsking(
    beyond.map(({ uri }) => uri),
    l10n.t("Delete {0} captures that are beyond the limits you have set?", number),
    detail,
  );
}

/** After a capture has ended: says that there are captures beyond the limits, once for as many. */
export class TidyReminder {
  #told = 0;

  /** @param tidy asks and deletes */
  async remind(rows: readonly CaptureRow[], captures: CaptureStore, tidy: () => Promise<unknown>): Promise<void> {
    const l10n = vscode.l10n;
    const beyond = capturesToDelete(rows, captures).length;
    // Who has said no is not asked again after each capture.
    if (beyond === 0 || this.#told > 0) return;
    this.#told = beyond;
    const look = l10n.t("Delete Old Captures…");
    const chosen = await showInformationMessage(l10n.t("{0} captures are beyond the limits you have set.", count(beyond, vscode.env.language)), look);
    if (chosen === look) await tidy();
  }
}
