// Which type of a capture's samples is shown: the command, and the item in the status bar while a shown capture has several.

import * as vscode from "vscode";
import type { Words } from "../../../contract/plain-text.js";
import { typeOfUnit, typeTitle } from "../../../contract/sample-type-words.js";
import type { SampleTypeId } from "../../../contract/sample-types.generated.js";
import type { Capture } from "../capture/questions.js";
import { COMMANDS, CONTEXT, STATUS_PLACES } from "../contributions.js";
import { showQuickPick } from "../messages/pickers.js";
import { showInformationMessage } from "../messages/show-message.js";
import type { CaptureServices } from "./capture-services.js";
import type { CaptureStore, OpenCapture } from "./capture-store.js";

/** The type whose samples a capture shows. */
export function shownType({ facts }: Pick<Capture, "facts">): SampleTypeId {
  return typeOfUnit(facts.unit) ?? "cpu";
}

/** Whether there is a choice. */
function hasSeveral({ capture }: OpenCapture): boolean {
  return (capture.facts.types?.length ?? 0) > 1;
}

export function registerChooseType({ context, captures }: CaptureServices): void {
  context.subscriptions.push(
    new TypeStatus(captures),
    vscode.commands.registerCommand(COMMANDS.chooseType, (given: unknown) => chooseType(captures, given)),
  );
}

class TypeStatus implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem(
    "extrospect.typeOfSamples",
    vscode.StatusBarAlignment.Left,
    STATUS_PLACES.typeOfSamples,
  );
  readonly #listening: vscode.Disposable;
  /** Whether the command is offered; set only when that changes, as captures that run are updated each second. */
  #isOffered = false;

  constructor(private readonly captures: CaptureStore) {
    this.#item.name = vscode.l10n.t("Extrospect Type of Samples");
    this.#item.command = COMMANDS.chooseType;
    this.#item.tooltip = vscode.l10n.t("What lenses, marks and views show of the capture. Click to choose.");
    const refresh = () => {
      this.#refresh();
    };
    this.#listening = vscode.Disposable.from(captures.onDidChangeCurrent(refresh), captures.onDidUpdate(refresh));
  }

  dispose(): void {
    this.#listening.dispose();
    this.#item.dispose();
  }

  #refresh(): void {
    const opened = this.captures.current;
    const isOffered = opened !== undefined && hasSeveral(opened);
    if (isOffered !== this.#isOffered) {
      this.#isOffered = isOffered;
      void vscode.commands.executeCommand("setContext", CONTEXT.severalTypesInView, isOffered);
    }
    if (!isOffered) {
      this.#item.hide();
      return;
    }
    const title = typeTitle(shownType(opened.capture), vscode.l10n);
    this.#item.text = `$(list-selection) ${title}`;
    this.#item.accessibilityInformation = {
      label: vscode.l10n.t("Shown of the capture: {0}", title),
      role: "button",
    };
    this.#item.show();
  }
}

/** @param given `{type}` shows that type without a question */
async function chooseType(captures: CaptureStore, given: unknown): Promise<void> {
  const l10n = vscode.l10n;
  const opened = captures.current;
  if (opened === undefined) {
    void showInformationMessage(l10n.t("No capture is in view. Start a capture or open one first."));
    return;
  }
  const types = opened.capture.facts.types ?? [];
  if (!hasSeveral(opened)) {
    void showInformationMessage(
      l10n.t("The capture in view has one type of samples: {0}.", typeTitle(shownType(opened.capture), l10n)),
    );
    return;
  }
  const requested = typeof given === "object" && given !== null && "type" in given ? given.type : undefined;
  const type = types.find((one) => one === requested) ?? (await pickType(types, opened));
  if (type !== undefined) captures.showType(opened, type);
}

async function pickType(
  types: readonly SampleTypeId[],
  { title, capture }: OpenCapture,
): Promise<SampleTypeId | undefined> {
  const l10n = vscode.l10n;
  const shown = shownType(capture);
  const rows = types.map((type) => ({
    label: typeTitle(type, l10n),
    detail: typeHelp(type, l10n),
    type,
    ...(type === shown && { description: l10n.t("now") }),
  }));
  const chosen = await showQuickPick(rows, {
    title,
    placeHolder: l10n.t("What do lenses, marks and views show of it?"),
  });
  return chosen?.type;
}

function typeHelp(type: SampleTypeId, words: Words): string {
  switch (type) {
    case "cpu":
      return words.t("where processor time goes");
    case "off-cpu":
      return words.t("where schedulers wait for the kernel, or for a processor");
    case "alloc":
      return words.t("who allocates");
    case "faults":
      return words.t("who makes the resident memory grow");
  }
}
