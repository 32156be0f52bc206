// Commands that read captures.

import * as vscode from "vscode";
import { showUnreadable } from "./open-capture.js";

/** What keeps a command from its work is told to the user; its answer is then undefined. */
export function registerReadingCommand(log: vscode.LogOutputChannel, command: string, run: (...given: unknown[]) => Promise<unknown>): vscode.Disposable {
  return vscode.commands.registerCommand(command, async (...given: unknown[]) => {
    try {
      return await run(...given);
    } catch (error) {
      showUnreadable(error, log);
      return undefined;
    }
  });
}
