// What pages ask of the editor.

import * as vscode from "vscode";
import type { EmptyPageRequest, PageRequest } from "../../../../contract/messages/any-page.js";
import type { FunctionFacts } from "../../capture/questions.js";
import type { OpenCapture } from "../../captures/capture-store.js";
import { COMMANDS } from "../../contributions.js";
import { showInformationMessage, showStatusBarMessage } from "../../messages/show-message.js";
import type { ExtensionServices } from "../../extension-services.js";

/**
 * Does what the page of a capture requests.
 * @param shown the capture in the page
 */
export async function actOn(
  message: PageRequest,
  services: ExtensionServices,
  shown: OpenCapture | undefined,
): Promise<void> {
  switch (message.type) {
    case "openSource":
      return openFunction(services, functionAt(shown, message.functionIndex), message.line, shown);
    case "flameGraph": {
      const functionName = functionAt(shown, message.functionIndex)?.name;
      if (shown && functionName !== undefined)
        await vscode.commands.executeCommand(COMMANDS.showFlameGraph, { functionName, uri: shown.uri });
      return;
    }
    case "copyText":
      return copy(String(message.text));
    case "do":
      return leaveEmptyPage(message);
  }
}

export function functionAt(shown: OpenCapture | undefined, functionIndex: unknown): FunctionFacts | undefined {
  return typeof functionIndex === "number" ? shown?.capture.functions[functionIndex] : undefined;
}

/** @param opened the capture that holds the function: it comes into view, so that the source shows the same one */
export async function openFunction(
  { captures, sources }: ExtensionServices,
  fn: FunctionFacts | undefined,
  line: unknown,
  opened: OpenCapture | undefined,
): Promise<void> {
  if (!fn) return void showInformationMessage(vscode.l10n.t("This capture no longer has this function."));
  if (opened !== undefined && captures.get(opened.uri) === opened) captures.show(opened);
  await sources.open(fn, typeof line === "number" && line > 0 ? line : fn.headLine, opened);
}

/** @param uri the capture it is in, which comes into view */
export async function showInTop(fn: FunctionFacts, uri: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand(COMMANDS.showTop, { functionName: fn.name, uri });
}

/** Erlang functions cause native work, others are caused. */
export async function showInBlame(fn: FunctionFacts, uri: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand(COMMANDS.showBlame, {
    ...(fn.kind === "erlang" ? { functionName: fn.name } : { query: fn.name }),
    uri,
  });
}

/** @param done shown in the status bar for a moment */
export async function copy(text: string, done = vscode.l10n.t("Copied")): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  showStatusBarMessage(done, 2000);
}

/** The ways out of an empty page. */
export async function leaveEmptyPage({ action }: EmptyPageRequest): Promise<void> {
  if (action === "attach") await vscode.commands.executeCommand(COMMANDS.attach);
  if (action === "openCapture") await vscode.commands.executeCommand(COMMANDS.openCapture);
}
