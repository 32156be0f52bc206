// What the menus of the capture in view and of hot functions both offer for the capture.

import * as vscode from "vscode";
import { COMMANDS } from "../contributions.js";
import type { PickerRow } from "../messages/pickers.js";
import type { CaptureStore } from "./capture-store.js";

export interface CommandRow extends PickerRow {
  readonly command: string;
}

/** Hiding its heat or showing it again, and closing it. */
export function captureMenuRows({ isHeatShown, current }: Pick<CaptureStore, "isHeatShown" | "current">): CommandRow[] {
  const l10n = vscode.l10n;
  return [
    ...((current?.capture.facts.types?.length ?? 0) > 1
      ? [{ icon: "list-selection", label: l10n.t("Show another type of samples"), command: COMMANDS.chooseType }]
      : []),
    {
      icon: isHeatShown ? "eye-closed" : "eye",
      label: isHeatShown ? l10n.t("Hide the heat") : l10n.t("Show the heat"),
      description: l10n.t("lenses and marks of this capture"),
      command: COMMANDS.toggleHeat,
    },
    {
      icon: "close",
      label: l10n.t("Close the capture"),
      description: l10n.t("its file stays"),
      command: COMMANDS.closeCapture,
    },
  ];
}
