// The capture in view: its item in the status bar, the menu behind the item, and the commands that change it.

import * as vscode from "vscode";
import { COMMANDS } from "../contributions.js";
import { showQuickPick, type PickerRow } from "../messages/pickers.js";
import { showInformationMessage } from "../messages/show-message.js";
import { fileName } from "../text/base-name.js";
import { captureMenuRows, type CommandRow } from "./capture-menu-rows.js";
import { neighbourOf, type CaptureStep } from "./capture-neighbour.js";
import { captureName, joined } from "./capture-name.js";
import type { CaptureServices } from "./capture-services.js";
import { CaptureStatus } from "./capture-status.js";
import type { CaptureStore } from "./capture-store.js";
import type { CaptureRow } from "./captures-view.js";
import { registerChooseType } from "./choose-type.js";
import { showCapture, showUnreadable } from "./open-capture.js";
import { showMissing } from "./show-missing.js";

type AllRows = () => Promise<readonly CaptureRow[]>;
type MenuRow = PickerRow & Partial<CommandRow>;

/** @param rows all captures, read, the newest first */
export function registerCaptureInView(services: CaptureServices, rows: AllRows): void {
  const { context, log, captures } = services;
  registerChooseType(services);
  const step = (to: CaptureStep) => async () => {
    try {
      await goTo(to, await rows(), captures);
    } catch (error) {
      showUnreadable(error, log);
    }
  };
  context.subscriptions.push(
    new CaptureStatus(captures),
    vscode.commands.registerCommand(COMMANDS.previousCapture, step("older")),
    vscode.commands.registerCommand(COMMANDS.nextCapture, step("newer")),
    vscode.commands.registerCommand(COMMANDS.toggleHeat, () => {
      captures.setHeatShown(!captures.isHeatShown);
    }),
    vscode.commands.registerCommand(COMMANDS.captureMenu, () => showMenu(rows, captures)),
  );
}

async function goTo(step: CaptureStep, listed: readonly CaptureRow[], captures: CaptureStore): Promise<void> {
  const there = listed[addressOf(listed, step, captures) ?? -1];
  if (there !== undefined) {
    await showCapture(there.uri, captures);
    return;
  }
  if (listed.length === 0) {
    void showMissing("inWorkspace");
    return;
  }
  const l10n = vscode.l10n;
  void showInformationMessage(
    step === "older" ? l10n.t("This is the oldest capture.") : l10n.t("This is the newest capture."),
  );
}

function addressOf(
  listed: readonly { readonly uri: vscode.Uri }[],
  step: CaptureStep,
  captures: CaptureStore,
): number | undefined {
  return neighbourOf(
    listed.map(({ uri }) => uri.toString()),
    captures.current?.uri.toString(),
    step,
  );
}

async function showMenu(rows: AllRows, captures: CaptureStore): Promise<void> {
  const l10n = vscode.l10n;
  const opened = captures.current;
  if (opened === undefined) {
    void showMissing("inView");
    return;
  }
  const listed = await rows();
  const described = (step: CaptureStep): Pick<MenuRow, "description"> | undefined => {
    const there = listed[addressOf(listed, step, captures) ?? -1];
    if (there === undefined) return undefined;
    const { label, details } = captureName(fileName(there.uri), there.summary, {
      nowUnixMs: Date.now(),
      language: vscode.env.language,
    });
    return { description: joined(label, details) };
  };
  const [older, newer] = [described("older"), described("newer")];
  const menu: MenuRow[] = [
    { icon: "target", label: l10n.t("Go to the hottest line"), command: COMMANDS.hottestLine },
    { icon: "lightbulb", label: l10n.t("Show the summary"), command: COMMANDS.showSummary },
    { icon: "flame", label: l10n.t("Show the flame graph"), command: COMMANDS.showFlameGraph },
    { icon: "list-ordered", label: l10n.t("Show the hot functions"), command: COMMANDS.showTop },
    { icon: "search-fuzzy", label: l10n.t("Show blame: who causes native work"), command: COMMANDS.showBlame },
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    ...(older === undefined
      ? []
      : [{ icon: "arrow-left", label: l10n.t("Previous capture"), ...older, command: COMMANDS.previousCapture }]),
    ...(newer === undefined
      ? []
      : [{ icon: "arrow-right", label: l10n.t("Next capture"), ...newer, command: COMMANDS.nextCapture }]),
    ...captureMenuRows(captures),
  ];
  const chosen = await showQuickPick(menu, { title: opened.title, placeHolder: fileName(opened.uri) });
  if (chosen?.command !== undefined) await vscode.commands.executeCommand(chosen.command);
}
