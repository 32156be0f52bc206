// Asks which VM to attach to.

import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import type { BeamRow } from "../../../contract/protocol.generated.js";
import { COMMANDS } from "../contributions.js";
import { Cancelled } from "../helper/helper-error.js";
import type { Helper } from "../helper/helper.js";
import { createQuickPick, setPickerRows, showInputBox, type PickerRow } from "../messages/pickers.js";
import { pidFromText } from "./attach-arguments.js";
import { addressName, type HostAddress } from "../remote/host-address.js";
import { errorText } from "../text/error-text.js";
import { listedVms } from "./listed-vms.js";
import type { Place } from "./pick-targets.js";
import { byUsefulness, targetDescription, targetName } from "./target-description.js";

const LAST_CHOICE = "extrospect.lastTarget";

interface LastChoice {
  readonly pid: number;
  readonly name: string;
}

interface Row extends PickerRow {
  readonly beam?: BeamRow;
  /** Where it is, or is looked for. */
  readonly host?: HostAddress | undefined;
  readonly isTyping?: boolean;
}

/**
 * The process id the user chose; undefined when they changed their mind. Throws when the VMs cannot be listed.
 * @param title what is going to be done with the VM
 * @param host  whose VMs they are; this machine's when absent
 */
export async function pickTarget(helper: Helper, context: vscode.ExtensionContext, title: string, host?: HostAddress): Promise<number | undefined> {
  return (await pickTargetAmong({ first: { host, helper }, others: [] }, context, title))?.pid;
}

/** Machines whose VMs are offered. */
export interface Places {
  /** Its VMs are above the others, and a process id that is typed is one of there. Without it there is nothing to choose from. */
  readonly first: Place;
  /** Those that cannot be asked are left out, with a word in the log. */
  readonly others: readonly Place[];
  readonly log?: vscode.LogOutputChannel;
}

/** A VM that the user chose. */
export interface PickedVm {
  readonly pid: number;
  /** Undefined for this machine. */
  readonly host: HostAddress | undefined;
}

/** The VM that the user chose among those of several machines; undefined when they changed their mind. Throws when those of the first cannot be listed. */
export async function pickTargetAmong(places: Places, context: vscode.ExtensionContext, title: string): Promise<PickedVm | undefined> {
  const chosen = await choose(places, context, title);
  if (chosen === undefined) return undefined;
  if (chosen.isTyping === true) {
    const pid = await typePid(title);
    return pid === undefined ? undefined : { pid, host: places.first.host };
  }
  const { beam, host } = chosen;
  if (beam === undefined) return undefined;
  if (!beam.attachable) {
    await vscode.commands.executeCommand(COMMANDS.explainTarget, { ...beam, host });
    return undefined;
  }
  await context.workspaceState.update(LAST_CHOICE, { pid: beam.pid, name: targetName(beam) } satisfies LastChoice);
  return { pid: beam.pid, host };
}

function choose({ first, others, log }: Places, context: vscode.ExtensionContext, title: string): Promise<Row | undefined> {
  const l10n = vscode.l10n;
  const picker = createQuickPick<Row>({ title, placeHolder: l10n.t("Pick the Erlang VM to look into") });
  const refresh: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("refresh"), tooltip: l10n.t("Refresh") };
  picker.keepScrollPosition = true;
  picker.matchOnDetail = true;
  // Containers, images and pods are in it.
  picker.matchOnDescription = true;
  picker.buttons = [refresh];
  const asking = new vscode.CancellationTokenSource();
  const last = context.workspaceState.get<LastChoice>(LAST_CHOICE);
  return new Promise<Row | undefined>((resolve, reject) => {
    const listOf = ({ helper }: Place) => listedVms(helper, asking.token);
    const fill = async () => {
      picker.busy = true;
      const found = new Map<Place, readonly BeamRow[]>();
      // What is there is shown: the line to another host may be cut, and its answer a minute away.
      const show = (place: Place, beams: readonly BeamRow[]) => {
        found.set(place, beams);
        if (found.has(first)) setPickerRows(picker, allRows(first, found, last));
      };
      const besides = others.map(async (place) => {
        try {
          show(place, await listOf(place));
        } catch (error) {
          if (!(error instanceof Cancelled)) log?.error(`The VMs of ${place.host === undefined ? "this machine" : addressName(place.host)} could not be listed: ${errorText(error)}`);
        }
      });
      try {
        show(first, await listOf(first));
        await Promise.all(besides);
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

/** The VMs of the first machine, then those of each other one below its name, in the order of their answers: no row moves while one is chosen. */
function allRows(first: Place, found: ReadonlyMap<Place, readonly BeamRow[]>, last: LastChoice | undefined): Row[] {
  const l10n = vscode.l10n;
  const separator = (label: string): Row => ({ kind: vscode.QuickPickItemKind.Separator, label });
  const typing: Row = { isTyping: true, icon: "edit", label: l10n.t("Enter a process id…"), alwaysShow: true };
  const rows = rowsOf(first, found.get(first) ?? [], last);
  const own = rows.length > 0 ? rows : [{ label: l10n.t("No Erlang VM was found on this machine"), description: l10n.t("press the refresh button to look again") }];
  const beside = [...found].flatMap(([place, beams]) => {
    const besides = place === first ? [] : rowsOf(place, beams, undefined);
    return besides.length === 0 ? [] : [separator(placeName(place)), ...besides];
  });
  const heading = beside.length === 0 ? [] : [separator(placeName(first))];
  // Which machine a number is of is said by what it stands below.
  return beside.length === 0 && rows.length === 0 ? [...own, typing] : [...heading, ...own, separator(""), typing, ...beside];
}

function placeName({ host }: Place): string {
  return host === undefined ? vscode.l10n.t("This machine") : plainText(addressName(host), 80);
}

function rowsOf({ host }: Place, beams: readonly BeamRow[], last: LastChoice | undefined): Row[] {
  const l10n = vscode.l10n;
  const rows = byUsefulness(beams).map((beam): Row => ({
    beam,
    host,
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
  return rows;
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
