// The flame graphs' panels: one for each capture, opened by a command and brought back after a restart.

import * as vscode from "vscode";
import { COMMANDS, PANELS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { registerCapturePanel, textOf } from "../capture-panel/capture-panel.js";
import type { FlameEditors } from "./flame-editors.js";
import { FLAME_PAGE, flameContent, type SummaryOf } from "./fill-flame-graph.js";

/** @param editors those of capture files */
export function registerFlameGraph(services: ExtensionServices, editors: FlameEditors, summaryOf: SummaryOf): void {
  const panels = registerCapturePanel(services, {
    viewType: PANELS.flameGraph,
    page: FLAME_PAGE,
    command: COMMANDS.showFlameGraph,
    title: (captureTitle) =>
      captureTitle === undefined ? vscode.l10n.t("Flame Graph") : vscode.l10n.t("Flame Graph: {0}", captureTitle),
    fill: (view, current) => flameContent(view, services, current, summaryOf),
    instead: ({ uri }) => editors.reveal(uri),
    // When it is opened from source, the source stays in sight.
    besideSource: ({ functionName }) => textOf(functionName) !== undefined,
    shown: (session, { functionName, process }) => {
      const onlyOf = textOf(process);
      if (onlyOf !== undefined) session.showProcess(onlyOf);
      const name = textOf(functionName);
      if (name !== undefined) session.reveal(name);
    },
  });
  services.context.subscriptions.push(editors.onDidOpen((uri) => panels.closeOf(uri)));
}
