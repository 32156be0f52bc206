// Commands that read captures.

import * as vscode from "vscode";
import { showUnreadable } from "./open-capture.js";

/** A failed command shows its reason to the user and returns undefined. */
export function registerReadingCommand(
  log: vscode.LogOutputChannel,
  command: string,
  run: (...given: unknown[]) => Promise<unknown>,
): vscode.Disposable {
  return vscode.commands.registerCommand(command, async (...given: unknown[]) => {
    try {
      return await run(...given);
    } catch (error) {
      showUnreadable(error, log);
      return undefined;
    }
  });
}
