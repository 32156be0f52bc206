// Asks which VM to attach to.

import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import type { BeamRow } from "../../../contract/protocol.generated.js";
import { COMMANDS } from "../contributions.js";
import { Cancelled } from "../helper/helper-error.js";
import type { Helper } from "../helper/helper.js";
import { createQuickPick, setPickerRows, showInputBox, type PickerRow } from "../messages/pickers.js";
import { pidFromText } from "./attach-arguments.js";
import type { HostAddress } from "../remote/host-address.js";
import { byUsefulness, targetDescription, targetName } from "./target-description.js";

const LAST_CHOICE = "extrospect.lastTarget";

interface LastChoice {
  readonly pid: number;
  readonly name: string;
}

interface Row extends PickerRow {
  readonly beam?: BeamRow;
  readonly isTyping?: boolean;
}

/**
 * The process id the user chose; undefined when they changed their mind. Throws when the VMs cannot be listed.
 * @param title what is going to be done with the VM
 * @param host  whose VMs they are; this machine's when absent
 */
export async function pickTarget(helper: Helper, context: vscode.ExtensionContext, title: string, host?: HostAddress): Promise<number | undefined> {
  const chosen = await choose(helper, context, title);
  if (chosen === undefined) return undefined;
  if (chosen.isTyping === true) return typePid(title);
  if (chosen.beam === undefined) return undefined;
  if (!chosen.beam.attachable) {
    await vscode.commands.executeCommand(COMMANDS.explainTarget, { ...chosen.beam, host });
    return undefined;
  }
  await context.workspaceState.update(LAST_CHOICE, { pid: chosen.beam.pid, name: targetName(chosen.beam) } satisfies LastChoice);
  return chosen.beam.pid;
}

function choose(helper: Helper, context: vscode.ExtensionContext, title: string): Promise<Row | undefined> {
  const l10n = vscode.l10n;
  const picker = createQuickPick<Row>({ title, placeHolder: l10n.t("Pick the Erlang VM to look into") });
  const refresh: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("refresh"), tooltip: l10n.t("Refresh") };
  picker.matchOnDetail = true;
  // Containers, images and pods are in it.
  picker.matchOnDescription = true;
  picker.buttons = [refresh];
  const asking = new vscode.CancellationTokenSource();
  const last = context.workspaceState.get<LastChoice>(LAST_CHOICE);
  return new Promise<Row | undefined>((resolve, reject) => {
    const fill = async () => {
      picker.busy = true;
      try {
        const { beams } = await helper.request("extrospect/list", {}, asking.token);
        setPickerRows(picker, rowsOf(beams, last));
      } catch (error) {
        if (error instanceof Cancelled) return;
        reject(error instanceof Error ? error : new Error(String(error)));
        picker.dispose();
      }
      picker.busy = false;
    };
    picker.onDidTriggerButton(() => void fill());
    picker.onDidAccept(() => {
      const [item] = picker.selectedItems;
      // The list is not there yet.
      if (item === undefined) return;
      resolve(item.row);
      picker.hide();
    });
    picker.onDidHide(() => {
      asking.cancel();
      resolve(undefined);
      picker.dispose();
    });
    picker.show();
    void fill();
  });
}

function rowsOf(beams: readonly BeamRow[], last: LastChoice | undefined): Row[] {
  const l10n = vscode.l10n;
  const rows = byUsefulness(beams).map((beam): Row => ({
    beam,
    icon: beam.attachable ? "vm-running" : "circle-slash",
    label: targetName(beam),
    description: targetDescription(beam, l10n, vscode.env.language),
    detail: plainText(beam.command, 160),
  }));
  const usable = (isIt: (beam: BeamRow) => boolean) => rows.findIndex(({ beam }) => beam?.attachable === true && isIt(beam));
  const samePid = usable((beam) => beam.pid === last?.pid && targetName(beam) === last.name);
  // Restarted since, perhaps: the name is what stays.
  const lastAt = samePid >= 0 ? samePid : usable((beam) => targetName(beam) === last?.name);
  if (lastAt > 0) rows.unshift(...rows.splice(lastAt, 1));
  const typing: Row = { isTyping: true, icon: "edit", label: l10n.t("Enter a process id…"), alwaysShow: true };
  if (rows.length === 0) return [{ label: l10n.t("No Erlang VM was found on this machine"), description: l10n.t("press the refresh button to look again") }, typing];
  return [...rows, { kind: vscode.QuickPickItemKind.Separator, label: "" }, typing];
}

async function typePid(title: string): Promise<number | undefined> {
  const l10n = vscode.l10n;
  const typed = await showInputBox({
    title,
    prompt: l10n.t("Process id of the Erlang VM (beam.smp)"),
    ignoreFocusOut: true,
    validate: (text) => (text.trim() === "" || pidFromText(text) !== undefined ? undefined : l10n.t("A process id is a whole number")),
  });
  return typed === undefined ? undefined : pidFromText(typed);
}
