// Which event of a recording of several is shown: a capture has the samples of one.

import * as vscode from "vscode";
import type { EventOfFile } from "../../../contract/editor-module.generated.js";
import { amountText, SAMPLES } from "../../../contract/sample-type-words.js";
import { showQuickPick } from "../messages/pickers.js";

/** Two files may be opened at once, and a second list would close the first. */
let lastChoice: Promise<unknown> = Promise.resolve();

/** Prompts the user, after earlier prompts. @returns the event's name; undefined when none was chosen */
export function chooseEvent(file: string, events: readonly EventOfFile[]): Promise<string | undefined> {
  const choice = lastChoice.then(() => chosenEvent(file, events));
  lastChoice = choice.catch(() => {});
  return choice;
}

async function chosenEvent(file: string, events: readonly EventOfFile[]): Promise<string | undefined> {
  const { l10n, env } = vscode;
  const rows = events
    .toSorted((one, other) => other.samples - one.samples)
    .map(({ name, samples }) => ({
      label: name,
      description: amountText(samples, SAMPLES, l10n, env.language),
      event: name,
    }));
  const title = l10n.t("{0} has samples of several events", file);
  const chosen = await showQuickPick(rows, {
    title,
    placeHolder: l10n.t("Which event is shown?"),
    ignoreFocusOut: true,
  });
  return chosen?.event;
}
