// Shows what a command needs and does not find, with buttons that lead to it.

import * as vscode from "vscode";
import { showInformationMessage } from "../messages/show-message.js";
import { missingWords, type Missing } from "./missing-words.js";

export async function showMissing(missing: Missing): Promise<void> {
  const { text, steps } = missingWords(missing, vscode.l10n);
  const chosen = await showInformationMessage(text, ...steps);
  if (chosen !== undefined) await vscode.commands.executeCommand(chosen.command);
}
