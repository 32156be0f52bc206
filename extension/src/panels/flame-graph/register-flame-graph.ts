// The flame graph's panel: one, of the capture in view, opened by a command and brought back after a restart.

import * as vscode from "vscode";
import { COMMANDS, PANELS } from "../../contributions.js";
import type { Parts } from "../../parts.js";
import { fillFlameGraph, webviewFolder, type FilledFlameGraph } from "./fill-flame-graph.js";

interface ShowArguments {
  /** As shown in the capture in view: the graph zooms to where it is heaviest. */
  readonly functionName?: unknown;
  /** A capture to bring into view first; it is opened when it is not open. */
  readonly uri?: unknown;
}

export function registerFlameGraph(parts: Parts): void {
  const { captures, context, log } = parts;
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
    const uri = uriOf(told?.uri);
    if (uri && !(await bringIntoView(uri))) return;
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

  /** Whether the capture is in view now; the command that opens it has said why when it is not. */
  async function bringIntoView(uri: vscode.Uri): Promise<boolean> {
    const opened = captures.get(uri);
    if (opened && opened !== captures.current) captures.show(opened);
    if (!opened) await vscode.commands.executeCommand(COMMANDS.openCapture, { uri: uri.toString() });
    return captures.current?.uri.toString() === uri.toString();
  }

  context.subscriptions.push(
    vscode.commands.registerCommand(COMMANDS.showFlameGraph, show),
    vscode.window.registerWebviewPanelSerializer(PANELS.flameGraph, {
      async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown) {
        // A second panel can only come from a state of another version.
        if (shown) return panel.dispose();
        adopt(panel);
        const uri = uriOf((state as ShowArguments | null | undefined)?.uri);
        if (captures.current || !uri) return;
        try {
          await vscode.workspace.fs.stat(uri);
          await bringIntoView(uri);
        } catch {
          // Deleted or renamed meanwhile: the panel says what can be done.
          log.info(`flame graph: ${uri.toString(true)} is no longer there`);
        }
      },
    }),
  );
}

/** Commands get text; tree items carry a `vscode.Uri`. */
function uriOf(told: unknown): vscode.Uri | null {
  if (told instanceof vscode.Uri) return told;
  if (typeof told !== "string" || told === "") return null;
  try {
    return vscode.Uri.parse(told, true);
  } catch {
    return null;
  }
}
