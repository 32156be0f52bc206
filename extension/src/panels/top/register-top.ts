// The top table: self and total of every function of the capture in view.

import * as vscode from "vscode";
import type { ToHost } from "../../../../contract/messages/top.js";
import { COMMANDS, PANELS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { captureContent, captureSessionHost, registerCapturePanel } from "../capture-panel/capture-panel.js";
import { actOn, functionInView } from "../page/page-actions.js";
import { TopSession } from "./top-session.js";

export function registerTop(services: ExtensionServices): void {
  registerCapturePanel(services, {
    viewType: PANELS.top,
    page: "top",
    command: COMMANDS.showTop,
    title: (captureTitle) => (captureTitle === undefined ? vscode.l10n.t("Hot Functions") : vscode.l10n.t("Hot Functions: {0}", captureTitle)),
    fill: (panel, current) => captureContent(services, current, new TopSession(captureSessionHost(panel, services, current)), (message: ToHost) => act(message, services)),
  });
}

async function act(message: ToHost, services: ExtensionServices): Promise<void> {
  switch (message.type) {
    case "blame": {
      const fn = functionInView(services, message.functionIndex);
      // Erlang functions cause native work, others are caused.
      if (fn) await vscode.commands.executeCommand(COMMANDS.showBlame, fn.kind === "erlang" ? { functionName: fn.name } : { query: fn.name });
      return;
    }
    case "openSource":
    case "flameGraph":
    case "copyText":
    case "do":
      return actOn(message, services);
  }
}
