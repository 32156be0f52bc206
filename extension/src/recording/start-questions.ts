// Before a capture starts: what runs already is ended when the user wants that, and two are not started at once.

import * as vscode from "vscode";
import { showInformationMessage, showWarningMessage } from "../messages/show-message.js";
import type { Session } from "./session.js";
import type { StartQuestions } from "./sessions.js";
import type { WindowSession } from "./window-session.js";

export const START_QUESTIONS: StartQuestions<WindowSession> = {
  mayEnd: async ({ stage }: Session<WindowSession>) => {
    const stop = vscode.l10n.t("Stop It and Start");
    const text = vscode.l10n.t("A capture of {0} is running.", stage.name);
    return (await showWarningMessage(text, stop)) === stop;
  },
  isBusy: () =>
    void showInformationMessage(
      vscode.l10n.t("Another capture is being started. Wait until it runs, or cancel it, and try again."),
    ),
};
