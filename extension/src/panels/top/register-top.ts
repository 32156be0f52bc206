// The top table: self and total of every function of a capture.

import * as vscode from "vscode";
import type { ToHost } from "../../../../contract/messages/top.js";
import type { OpenCapture } from "../../captures/capture-store.js";
import { captureErrorWords } from "../../captures/unreadable-words.js";
import { COMMANDS, PANELS, SETTINGS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { setting, updateSetting } from "../../settings.js";
import { captureContent, captureSessionHost, registerCapturePanel, textOf } from "../capture-panel/capture-panel.js";
import { actOn, functionAt, showInBlame } from "../page/page-actions.js";
import { TopSession } from "./top-session.js";

export function registerTop(services: ExtensionServices): void {
  registerCapturePanel(services, {
    viewType: PANELS.top,
    page: "top",
    command: COMMANDS.showTop,
    title: (captureTitle) =>
      captureTitle === undefined ? vscode.l10n.t("Hot Functions") : vscode.l10n.t("Hot Functions: {0}", captureTitle),
    fill: (panel, current) =>
      captureContent(
        services,
        current,
        new TopSession(captureSessionHost(panel, services, current), (problem) =>
          captureErrorWords(problem, vscode.l10n),
        ),
        (message: ToHost) => act(message, services, current()),
      ),
    shown: (session, { functionName }) => {
      const name = textOf(functionName);
      if (name !== undefined) session.reveal(name);
    },
  });
}

async function act(message: ToHost, services: ExtensionServices, shown: OpenCapture | undefined): Promise<void> {
  switch (message.type) {
    case "blame": {
      const fn = functionAt(shown, message.functionIndex);
      if (fn && shown) await showInBlame(fn, shown.uri);
      return;
    }
    case "view": {
      const percentOf = message.view.ofBusy ? "busy" : "all";
      if (percentOf !== setting(SETTINGS.percentOf)) await updateSetting(SETTINGS.percentOf, percentOf);
      return;
    }
    case "openSource":
    case "flameGraph":
    case "copyText":
    case "do":
      return actOn(message, services, shown);
  }
}
