// What pages ask of the editor.

import * as vscode from "vscode";
import { COMMANDS } from "../contributions.js";
import type { Parts } from "../parts.js";

export async function openFunction({ captures, sources }: Parts, functionIndex: unknown, line: unknown): Promise<void> {
  const fn = typeof functionIndex === "number" ? captures.current?.capture.functions[functionIndex] : undefined;
  if (!fn) return void vscode.window.showInformationMessage(vscode.l10n.t("The capture in view no longer has this function."));
  await sources.open(fn, typeof line === "number" && line > 0 ? line : fn.headLine);
}

export async function functionCommand({ captures }: Parts, command: string, functionIndex: unknown): Promise<void> {
  const fn = typeof functionIndex === "number" ? captures.current?.capture.functions[functionIndex] : undefined;
  if (fn) await vscode.commands.executeCommand(command, { functionName: fn.name });
}

export async function copy(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(vscode.l10n.t("Copied"), 2000);
}

/** The ways out of an empty page. */
export async function emptyPageAction(action: unknown): Promise<void> {
  if (action === "attach") await vscode.commands.executeCommand(COMMANDS.attach);
  if (action === "openCapture") await vscode.commands.executeCommand(COMMANDS.openCapture);
}
