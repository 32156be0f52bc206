// Prompts for the VM to attach to.

import * as vscode from "vscode";
import { COMMANDS } from "../contributions.js";
import type { Helper } from "../helper/helper.js";
import { createQuickPick, setPickerRows, showInputBox, type PickerRow } from "../messages/pickers.js";
import { pidFromText } from "./attach-arguments.js";
import type { HostAddress } from "../remote/host-address.js";
import { beamRow, failureRow, placeName, refreshButton, vmsOf, type Place, type PlaceAnswer } from "./places.js";
import { byUsefulness, targetName, type ListedVm } from "./target-description.js";

const LAST_CHOICE = "extrospect.lastTarget";

interface LastChoice {
  readonly pid: number;
  readonly name: string;
}

interface Row extends PickerRow {
  readonly beam?: ListedVm;
  /** Where it is, or is looked for. */
  readonly host?: HostAddress | undefined;
  readonly isTyping?: boolean;
  readonly isExtra?: boolean;
}

/** A row below the VMs, for a choice about their captures. The list opens again after it. */
export interface ExtraRow {
  /** As it is now. */
  row(): PickerRow;
  run(): Promise<void>;
}

/**
 * The process id that the user chose; undefined when they cancelled. Throws when the VMs cannot be listed.
 * @param title the purpose of the choice
 * @param host  whose VMs they are; this machine's when absent
 */
export async function pickTarget(
  helper: Helper,
  context: vscode.ExtensionContext,
  title: string,
  host?: HostAddress,
  extra?: ExtraRow,
): Promise<number | undefined> {
  return (await pickTargetAmong({ first: { host, helper }, others: [] }, context, title, extra))?.pid;
}

/** Machines whose VMs are offered. */
export interface Places {
  /** Its VMs are above the others, and a process id that is typed is one of there. Without it there is nothing to choose from. */
  readonly first: Place;
  readonly others: readonly Place[];
}

/** A VM that the user chose. */
export interface PickedVm {
  readonly pid: number;
  /** Undefined for this machine. */
  readonly host: HostAddress | undefined;
}

/** The VM that the user chose among those of several machines; undefined when they changed their mind. Throws when those of the first cannot be listed. */
export async function pickTargetAmong(
  places: Places,
  context: vscode.ExtensionContext,
  title: string,
  extra?: ExtraRow,
): Promise<PickedVm | undefined> {
  const chosen = await choose(places, context, title, extra);
  if (chosen === undefined) return undefined;
  if (chosen.isExtra === true) {
    await extra?.run();
    return pickTargetAmong(places, context, title, extra);
  }
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

function choose(
  { first, others }: Places,
  context: vscode.ExtensionContext,
  title: string,
  extra: ExtraRow | undefined,
): Promise<Row | undefined> {
  const l10n = vscode.l10n;
  const picker = createQuickPick<Row>({ title, placeHolder: l10n.t("Select an Erlang VM") });
  picker.keepScrollPosition = true;
  picker.matchOnDetail = true;
  // Containers, images and pods are in it.
  picker.matchOnDescription = true;
  picker.buttons = [refreshButton()];
  const asking = new vscode.CancellationTokenSource();
  const last = context.workspaceState.get<LastChoice>(LAST_CHOICE);
  return new Promise<Row | undefined>((resolve, reject) => {
    const fill = async () => {
      picker.busy = true;
      const found = new Map<Place, PlaceAnswer>();
      // The answers so far are shown: the line to another host may be cut, and its answer a minute away.
      const ask = async (place: Place) => {
        const answer = await vmsOf(place, asking.token);
        if (answer === undefined) return;
        if (place === first && "failure" in answer) {
          reject(answer.failure);
          picker.hide();
          return;
        }
        found.set(place, answer);
        if (found.has(first)) setPickerRows(picker, allRows(first, found, last, extra));
      };
      await Promise.all([first, ...others].map(ask));
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
function allRows(
  first: Place,
  found: ReadonlyMap<Place, PlaceAnswer>,
  last: LastChoice | undefined,
  extra: ExtraRow | undefined,
): Row[] {
  const l10n = vscode.l10n;
  const separator = (label: string): Row => ({ kind: vscode.QuickPickItemKind.Separator, label });
  const typing: Row = { isTyping: true, icon: "edit", label: l10n.t("Enter a process id…"), alwaysShow: true };
  const further = extra === undefined ? [] : [{ ...extra.row(), isExtra: true, alwaysShow: true }];
  const rows = answerRows(first, found.get(first), last);
  const own =
    rows.length > 0
      ? rows
      : [
          {
            label: l10n.t("No Erlang VM was found on this machine"),
            description: l10n.t("press the refresh button to search again"),
          },
        ];
  const beside = [...found].flatMap(([place, answer]) => {
    const besides = place === first ? [] : answerRows(place, answer, undefined);
    return besides.length === 0 ? [] : [separator(placeName(place)), ...besides];
  });
  const heading = beside.length === 0 ? [] : [separator(placeName(first))];
  // The heading above a process id names its machine.
  return beside.length === 0 && rows.length === 0
    ? [...own, typing, ...further]
    : [...heading, ...own, separator(""), typing, ...further, ...beside];
}

function answerRows(place: Place, answer: PlaceAnswer | undefined, last: LastChoice | undefined): Row[] {
  if (answer === undefined) return [];
  return "failure" in answer ? [failureRow(place, answer.failure)] : rowsOf(place, answer.beams, last);
}

function rowsOf({ host }: Place, beams: readonly ListedVm[], last: LastChoice | undefined): Row[] {
  const rows = byUsefulness(beams).map((beam): Row => ({ ...beamRow(beam), beam, host }));
  const usable = (isIt: (beam: ListedVm) => boolean) =>
    rows.findIndex(({ beam }) => beam?.attachable === true && isIt(beam));
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
    validate: (text) =>
      text.trim() === "" || pidFromText(text) !== undefined ? undefined : l10n.t("A process id is a whole number"),
  });
  return typed === undefined ? undefined : pidFromText(typed);
}
