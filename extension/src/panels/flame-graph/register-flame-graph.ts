// The flame graph's panel: one, of the capture in view, opened by a command and brought back after a restart.

import * as vscode from "vscode";
import { COMMANDS, PANELS } from "../../contributions.js";
import type { Parts } from "../../parts.js";
import { bringBack, bringIntoView } from "../follow-captures.js";
import { fillFlameGraph, webviewFolder, type FilledFlameGraph } from "./fill-flame-graph.js";

interface ShowArguments {
  /** As shown in the capture in view: the graph zooms to where it is heaviest. */
  readonly functionName?: unknown;
  /** A capture to bring into view first; it is opened when it is not open. */
  readonly uri?: unknown;
}

export function registerFlameGraph(parts: Parts): void {
  const { captures, context } = parts;
  let shown: { readonly panel: vscode.WebviewPanel; readonly graph: FilledFlameGraph } | null = null;

  /** Takes a panel that is new or brought back. */
  function adopt(panel: vscode.WebviewPanel): FilledFlameGraph {
    const graph = fillFlameGraph(panel, parts, { current: () => captures.current });
    const mine = { panel, graph };
    shown = mine;
    const title = () => {
      const wanted = captures.current ? vscode.l10n.t("Flame Graph: {0}", captures.current.title) : vscode.l10n.t("Flame Graph");
      if (panel.title !== wanted) panel.title = wanted;
    };
    title();
    const following = [captures.onDidChangeCurrent(title), captures.onDidUpdate(title)];
    panel.onDidDispose(() => {
      for (const subscription of following) subscription.dispose();
      if (shown === mine) shown = null;
    });
    return graph;
  }

  async function show(told?: ShowArguments): Promise<void> {
    if (!(await bringIntoView(captures, told?.uri))) return;
    const functionName = typeof told?.functionName === "string" ? told.functionName : null;
    if (shown) {
      shown.panel.reveal(shown.panel.viewColumn);
    } else {
      // Asked for from source, the source stays in sight.
      const column = functionName !== null && vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
      adopt(vscode.window.createWebviewPanel(PANELS.flameGraph, vscode.l10n.t("Flame Graph"), column, { enableScripts: true, localResourceRoots: [webviewFolder(parts)] }));
    }
    if (functionName !== null) shown?.graph.reveal(functionName);
  }

  context.subscriptions.push(
    vscode.commands.registerCommand(COMMANDS.showFlameGraph, show),
    vscode.window.registerWebviewPanelSerializer(PANELS.flameGraph, {
      async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown) {
        // A second panel can only come from a state of another version.
        if (shown) return panel.dispose();
        adopt(panel);
        await bringBack(parts, (state as ShowArguments | null | undefined)?.uri);
      },
    }),
  );
}
