// The only place that shows messages, progress and texts of views: each goes through `messageText`, and eslint allows the editor's own functions nowhere else.

import * as vscode from "vscode";
import { messageText, messageWithIcon } from "./message-text.js";

type Button = string | vscode.MessageItem;

/** @returns the button that was pressed; undefined when the message was put away */
export function showInformationMessage<T extends Button>(
  text: string,
  ...buttons: readonly T[]
): Thenable<T | undefined> {
  return vscode.window.showInformationMessage(
    messageText(text),
    ...(buttons as readonly vscode.MessageItem[]),
  ) as Thenable<T | undefined>;
}

/** @returns the button that was pressed; undefined when the message was put away */
export function showWarningMessage<T extends Button>(text: string, ...buttons: readonly T[]): Thenable<T | undefined> {
  return vscode.window.showWarningMessage(messageText(text), ...(buttons as readonly vscode.MessageItem[])) as Thenable<
    T | undefined
  >;
}

/** @returns the button that was pressed; undefined when the message was put away */
export function showErrorMessage<T extends Button>(text: string, ...buttons: readonly T[]): Thenable<T | undefined> {
  return vscode.window.showErrorMessage(messageText(text), ...(buttons as readonly vscode.MessageItem[])) as Thenable<
    T | undefined
  >;
}

/** A question that has to be answered before anything else. @returns whether the answer was `yes` */
export async function isConfirmed(question: string, yes: string, detail = ""): Promise<boolean> {
  return (
    (await vscode.window.showWarningMessage(
      messageText(question),
      { modal: true, detail: messageText(detail) },
      yes,
    )) === yes
  );
}

/** In the status bar for so long. @param icon of the editor, in front of the text */
export function showStatusBarMessage(text: string, ms: number, icon?: string): void {
  vscode.window.setStatusBarMessage(icon === undefined ? messageText(text) : messageWithIcon(icon, text), ms);
}

/** Shows in the status bar that work goes on. */
export function withStatusBarProgress<T>(title: string, work: () => Thenable<T>): Thenable<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: messageText(title) }, work);
}

/** Shows in a notification that work goes on, which the user may cancel. */
export function withCancellableProgress<T>(
  title: string,
  work: (token: vscode.CancellationToken) => Thenable<T>,
): Thenable<T> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: messageText(title), cancellable: true },
    (_, token) => work(token),
  );
}

/** The same, with the current step, and the percentage done, if it is known. */
export function withReportedProgress<T>(
  title: string,
  work: (
    token: vscode.CancellationToken,
    report: (message: string, percentage: number | undefined) => void,
  ) => Thenable<T>,
): Thenable<T> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: messageText(title), cancellable: true },
    (progress, token) => {
      let done = 0;
      return work(token, (message, percentage = done) => {
        progress.report({ message: messageText(message), increment: Math.max(0, percentage - done) });
        done = Math.max(done, percentage);
      });
    },
  );
}

/** Shows in a view that work goes on. */
export function withViewProgress<T>(viewId: string, work: () => Thenable<T>): Thenable<T> {
  return vscode.window.withProgress({ location: { viewId } }, work);
}

/** The text above the rows of a view; empty for none. */
export function setViewMessage(view: vscode.TreeView<unknown>, text: string): void {
  view.message = messageText(text);
}
