// The only place that opens pickers and input boxes: their texts pass through `messageText`, and eslint allows the
// editor's own functions nowhere else.

import * as vscode from "vscode";
import { messageText, messageWithIcon } from "./message-text.js";

/** A row of a picker, its texts as they are. */
export interface PickerRow extends vscode.QuickPickItem {
  /** Name of an icon of the editor, in front of the label. */
  readonly icon?: string;
}

export interface PickerTexts {
  readonly title: string;
  readonly placeHolder: string;
  /** Stays open when something else takes the focus: one of several in a row, with waiting between them. */
  readonly ignoreFocusOut?: boolean;
}

/** A list to choose one of. @returns the row as it was given; undefined when none was chosen */
export async function showQuickPick<Row extends PickerRow>(
  rows: readonly Row[],
  { title, placeHolder, ignoreFocusOut = false }: PickerTexts,
): Promise<Row | undefined> {
  const options = {
    title: messageText(title),
    placeHolder: messageText(placeHolder),
    matchOnDescription: true,
    ignoreFocusOut,
  };
  return (await vscode.window.showQuickPick(rows.map(shownRow), options))?.row;
}

/** A list to choose several of. @returns the rows as they were given; undefined when the list was put away */
export async function showManyPick<Row extends PickerRow>(
  rows: readonly Row[],
  { title, placeHolder, ignoreFocusOut = false }: PickerTexts,
): Promise<Row[] | undefined> {
  const options = {
    title: messageText(title),
    placeHolder: messageText(placeHolder),
    matchOnDescription: true,
    ignoreFocusOut,
    canPickMany: true,
  } as const;
  return (await vscode.window.showQuickPick(rows.map(shownRow), options))?.map(({ row }) => row);
}

/** A list that is filled while it is open, by {@link setPickerRows}. */
export function createQuickPick<Row extends PickerRow>({
  title,
  placeHolder,
}: PickerTexts): vscode.QuickPick<ShownRow<Row>> {
  const picker = vscode.window.createQuickPick<ShownRow<Row>>();
  picker.title = messageText(title);
  picker.placeholder = messageText(placeHolder);
  picker.matchOnDescription = true;
  return picker;
}

export function setPickerRows<Row extends PickerRow>(
  picker: vscode.QuickPick<ShownRow<Row>>,
  rows: readonly Row[],
): void {
  picker.items = rows.map(shownRow);
}

/** What the editor shows of a row. */
export interface ShownRow<Row> extends vscode.QuickPickItem {
  readonly row: Row;
}

function shownRow<Row extends PickerRow>(row: Row): ShownRow<Row> {
  const { icon, label, description, detail, kind, picked, alwaysShow } = row;
  return {
    row,
    label: icon === undefined ? messageText(label) : messageWithIcon(icon, label),
    ...(description === undefined ? {} : { description: messageText(description) }),
    ...(detail === undefined ? {} : { detail: messageText(detail) }),
    ...(kind === undefined ? {} : { kind }),
    ...(picked === undefined ? {} : { picked }),
    ...(alwaysShow === undefined ? {} : { alwaysShow }),
  };
}

export interface InputBoxTexts {
  readonly title: string;
  readonly prompt: string;
  /** The initial text of the box, unchanged. */
  readonly value?: string;
  /** Stays open when another window comes to the front. */
  readonly ignoreFocusOut?: boolean;
  /** The typed text is hidden. */
  readonly isSecret?: boolean;
  /** Why a text cannot be taken; undefined when it can. */
  validate(text: string): string | undefined | Promise<string | undefined>;
}

/** @param token closes it @returns the typed text; undefined when the box was closed */
export function showInputBox(
  { title, prompt, value, ignoreFocusOut = false, isSecret = false, validate }: InputBoxTexts,
  token?: vscode.CancellationToken,
): Thenable<string | undefined> {
  const options: vscode.InputBoxOptions = {
    title: messageText(title),
    prompt: messageText(prompt),
    ignoreFocusOut,
    password: isSecret,
    ...(value === undefined ? {} : { value }),
    validateInput: async (text) => {
      const refusal = await validate(text);
      return refusal === undefined ? undefined : messageText(refusal);
    },
  };
  return vscode.window.showInputBox(options, token);
}
