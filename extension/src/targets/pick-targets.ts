// Prompts for the VMs to attach to at once: those of this machine and of the hosts that are connected.

import * as vscode from "vscode";
import type { HelperConnection } from "../helper/helper-connection.js";
import { createQuickPick, setPickerRows, type PickerRow } from "../messages/pickers.js";
import { showInformationMessage } from "../messages/show-message.js";
import { KeptChoice } from "./kept-choice.js";
import { beamRow, failureRow, placeName, refreshButton, vmsOf, type Place, type PlaceAnswer } from "./places.js";
import { inPlace, type TargetRow } from "./target-order.js";
import type { ListedVm } from "./target-description.js";

/** Places that answer within this come at once: a list that is made anew may miss a click of just then. */
const TOGETHER_MS = 2_000;

export interface PickedTarget extends Place {
  readonly beam: ListedVm;
}

interface Row extends PickerRow {
  /** Absent where nothing can be attached to. */
  readonly target?: PickedTarget;
}

/**
 * The VMs that the user chose; undefined when they cancelled. A VM that cannot be attached to is in the list with the
 * reason, and so is a place that does not answer: either may pass, and then a refresh lists them anew.
 * @param placesNow where to look; also a host whose line is cut, which answers when it is back
 * @throws why the VMs of the only place cannot be listed
 */
export function pickTargets(placesNow: () => readonly Place[]): Promise<PickedTarget[] | undefined> {
  const { l10n } = vscode;
  const picker = createQuickPick<Row>({
    title: l10n.t("Start Capture of Several VMs"),
    placeHolder: l10n.t("The VMs to capture together"),
  });
  picker.canSelectMany = true;
  picker.keepScrollPosition = true;
  picker.buttons = [refreshButton()];
  const asking = new vscode.CancellationTokenSource();
  const list = new RowsInPlace();
  const answers = new Map<HelperConnection, PlaceAnswer>();
  return new Promise((resolve, reject) => {
    let places: readonly Place[] = [];
    const choice = new KeptChoice(
      picker,
      ({ row }) => keyOf(row),
      () => performance.now(),
    );
    const show = () => {
      choice.keepWhile(() => {
        setPickerRows(picker, list.rows(places, answers));
      });
    };
    const fill = async () => {
      picker.busy = true;
      places = placesNow();
      let isShown = false;
      const showNow = () => {
        isShown = true;
        show();
      };
      const timer = setTimeout(showNow, TOGETHER_MS);
      const listing = Promise.all(
        places.map(async (place) => {
          const answer = await vmsOf(place, asking.token);
          if (answer === undefined) return;
          // With one place there is nothing else to choose from.
          if ("failure" in answer && places.length === 1) throw answer.failure;
          answers.set(place.helper, answer);
          if (isShown) show();
        }),
      );
      await listing.finally(() => {
        clearTimeout(timer);
      });
      if (asking.token.isCancellationRequested) return;
      if (!isShown) showNow();
      picker.busy = false;
      if (picker.items.length > 0) return;
      resolve(undefined);
      picker.hide();
      void showInformationMessage(l10n.t("No Erlang VM was found to attach to."));
    };
    const look = () => {
      fill().catch((error: unknown) => {
        reject(error instanceof Error ? error : new Error(String(error)));
        picker.hide();
      });
    };
    picker.onDidTriggerButton(look);
    picker.onDidAccept(() => {
      const targets = choice.chosen.flatMap(({ row }) => row.target ?? []);
      resolve(targets.length === 0 ? undefined : targets);
      picker.hide();
    });
    picker.onDidHide(() => {
      asking.cancel();
      resolve(undefined);
      picker.dispose();
    });
    picker.show();
    look();
  });
}

/** The same VM in the next answer; undefined for a row that cannot be chosen. */
function keyOf({ target }: Row): string | undefined {
  return target && `${target.beam.pid} ${placeName(target)}`;
}

/**
 * The rows of the list, each where it was before: the editor knows a click by the number of its row, and a click may meet
 * a list that has just been replaced. Places that answer late come after the others.
 */
class RowsInPlace {
  readonly #shown = new Map<HelperConnection, readonly TargetRow[]>();

  rows(places: readonly Place[], answers: ReadonlyMap<HelperConnection, PlaceAnswer>): Row[] {
    for (const { helper } of places) if (answers.has(helper) && !this.#shown.has(helper)) this.#shown.set(helper, []);
    const order = [...this.#shown.keys()];
    const position = ({ helper }: Place) => (order.includes(helper) ? order.indexOf(helper) : order.length);
    return [...places]
      .sort((a, b) => position(a) - position(b))
      .flatMap((place): Row[] => {
        const rows = this.#rowsOf(place, answers.get(place.helper));
        if (rows.length === 0) return [];
        return [{ kind: vscode.QuickPickItemKind.Separator, label: placeName(place) }, ...rows];
      });
  }

  #rowsOf(place: Place, answer: PlaceAnswer | undefined): Row[] {
    if (answer === undefined) return [waitingRow(place)];
    if ("failure" in answer) return [failureRow(place, answer.failure)];
    const running = inPlace(this.#shown.get(place.helper) ?? [], answer.beams).filter(({ isGone }) => !isGone);
    this.#shown.set(place.helper, running);
    return running.map((beam) => rowOf(place, beam));
  }
}

function waitingRow(place: Place): Row {
  return { icon: "sync~spin", label: vscode.l10n.t("Waiting for the VMs of {0}", placeName(place)) };
}

function rowOf(place: Place, beam: ListedVm): Row {
  return beam.attachable ? { ...beamRow(beam), target: { ...place, beam } } : beamRow(beam);
}
