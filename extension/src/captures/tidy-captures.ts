// The limits on how many captures are kept, and for how long. Nothing is deleted without a prompt.

import * as vscode from "vscode";
import { count } from "../../../contract/figures.js";
import { SETTINGS } from "../contributions.js";
import { showInformationMessage } from "../messages/show-message.js";
import { setting } from "../settings.js";
import { fileName } from "../text/base-name.js";
import type { CaptureServices } from "./capture-services.js";
import type { CaptureRow } from "./captures-view.js";
import { deleteCaptures, namesOf } from "./delete-captures.js";
import { beyondLimits } from "./retention.js";

/** What knows which captures are in use. */
type Keepers = Pick<CaptureServices, "captures" | "baseline">;

/** @returns the captures that are beyond the limits by now; those that are open and the baseline are kept */
export function capturesToDelete(rows: readonly CaptureRow[], { captures, baseline }: Keepers): CaptureRow[] {
  const limits = { keepAtMost: setting(SETTINGS.keepAtMost), keepDays: setting(SETTINGS.keepDays) };
  return beyondLimits(rows, limits, Date.now()).filter(
    ({ uri }) => captures.withFile(uri) === undefined && !baseline.is(uri),
  );
}

/**
 * Prompts the user, and deletes the captures on consent.
 * @returns whether it did
 * @throws {UnreadableCapture} when one cannot be deleted
 */
export async function tidyCaptures(rows: readonly CaptureRow[], keepers: Keepers): Promise<boolean> {
  const l10n = vscode.l10n;
  const beyond = capturesToDelete(rows, keepers).map(({ uri }) => uri);
  if (beyond.length === 0) {
    void showInformationMessage(
      l10n.t("No capture exceeds the limits (settings extrospect.capture.keepAtMost and keepDays)."),
    );
    return false;
  }
  const [only] = beyond;
  const question =
    only !== undefined && beyond.length === 1
      ? l10n.t("Delete {0}, which exceeds the limits in the settings?", fileName(only))
      : l10n.t(
          "Delete {0} captures that exceed the limits in the settings?",
          count(beyond.length, vscode.env.language),
        );
  const names = beyond.length === 1 ? [] : [namesOf(beyond)];
  const kept = l10n.t("Pinned captures, open captures and the baseline are kept.");
  return deleteCaptures(beyond, question, [...names, kept], keepers);
}

/** After a capture has ended: shows that there are captures beyond the limits, once in this window. */
export class TidyReminder {
  #reported = 0;

  /** @param tidy prompts and deletes */
  async remind(rows: readonly CaptureRow[], keepers: Keepers, tidy: () => Promise<unknown>): Promise<void> {
    const l10n = vscode.l10n;
    const beyond = capturesToDelete(rows, keepers).length;
    // A user who declined is not prompted again after each capture.
    if (beyond === 0 || this.#reported > 0) return;
    this.#reported = beyond;
    const look = l10n.t("Delete Old Captures…");
    const chosen = await showInformationMessage(
      l10n.t("{0} captures exceed the limits in the settings.", count(beyond, vscode.env.language)),
      look,
    );
    if (chosen === look) await tidy();
  }
}
