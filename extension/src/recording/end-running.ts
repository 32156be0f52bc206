// Before a capture starts: what runs already is ended, when the user wants that.

import * as vscode from "vscode";
import { showWarningMessage } from "../messages/show-message.js";

interface Running {
  readonly isCapturing: boolean;
  /** Shown. */
  readonly name: string;
  stop(): Promise<unknown>;
}

/** @returns whether attaching may go on */
export async function endRunning(...all: readonly Running[]): Promise<boolean> {
  const running = all.find(({ isCapturing }) => isCapturing);
  if (running === undefined) return true;
  const stop = vscode.l10n.t("Stop It and Attach");
  const chosen = await showWarningMessage(vscode.l10n.t("A capture of {0} is running.", running.name), stop);
  if (chosen !== stop) return false;
  await running.stop();
  return true;
}
