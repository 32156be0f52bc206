// Fills a webview panel with the flame graph of a capture, be it our own panel or the editor of a capture file.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { FunctionFacts } from "../../capture/questions.js";
import type { OpenCapture } from "../../captures/capture-store.js";
import type { Parts } from "../../parts.js";
import type { ToHost, ToWebview } from "../../../../webviews/flame-graph/messages.js";
import { flameGraphPage } from "../../../../webviews/flame-graph/page.js";
import { FlameSession, type SessionTexts } from "./flame-session.js";
import { saveExport } from "./save-export.js";

export interface CaptureSource {
  /** The capture the panel shows; it may be another one at the next call. */
  current(): OpenCapture | undefined;
}

export interface FilledFlameGraph extends vscode.Disposable {
  /** Shows where the function is heaviest and selects it. */
  reveal(functionName: string): void;
  /** The source has another capture now. Needless when the store of captures told it. */
  captureChanged(): void;
}

/** Sets the page of `panel` and keeps it up to date until the panel is closed. Disposing of the answer earlier is allowed. */
export function fillFlameGraph(panel: vscode.WebviewPanel, parts: Parts, source: CaptureSource): FilledFlameGraph {
  const { captures, log } = parts;
  let disposed = false;
  const session = new FlameSession({
    texts: texts(),
    current: () => {
      const opened = source.current();
      return opened && { capture: opened.capture, title: opened.title, live: opened.live, uri: opened.uri.toString() };
    },
    post: (message: ToWebview) => {
      // Rejected only when the panel is going, which ends the session.
      if (!disposed) void panel.webview.postMessage(message).then(undefined, () => {});
    },
    notice: (text) => void vscode.window.showInformationMessage(text),
    debug: (text) => log.debug(text),
    nowMs: () => performance.now(),
    later: (ms, call) => {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
  });
  let shown = source.current();
  const subscriptions = [
    panel.webview.onDidReceiveMessage((message: ToHost) => {
      session.receive(message);
      act(message, parts, source).catch((error: unknown) => {
        log.error(error instanceof Error ? error : String(error));
        void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
      });
    }),
    panel.onDidChangeViewState(() => session.setVisible(panel.visible)),
    captures.onDidChangeCurrent(() => {
      if (source.current() === shown) return;
      shown = source.current();
      session.captureChanged();
    }),
    captures.onDidUpdate((opened) => {
      if (opened === source.current()) session.captureUpdated();
    }),
    captures.onDidClose((closed) => {
      if (closed !== shown) return;
      shown = source.current();
      session.captureChanged();
    }),
  ];
  session.setVisible(panel.visible);
  panel.webview.options = { enableScripts: true, localResourceRoots: [webviewFolder(parts)] };
  panel.webview.html = pageFor(panel.webview, parts);
  const dispose = () => {
    if (disposed) return;
    disposed = true;
    session.dispose();
    for (const subscription of subscriptions) subscription.dispose();
  };
  subscriptions.push(panel.onDidDispose(dispose));
  return { dispose, reveal: (functionName) => session.reveal(functionName), captureChanged: () => session.captureChanged() };
}

/** The only folder a page may load from. */
export function webviewFolder(parts: Parts): vscode.Uri {
  return vscode.Uri.joinPath(parts.context.extensionUri, "dist", "webviews");
}

function pageFor(webview: vscode.Webview, parts: Parts): string {
  const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(webviewFolder(parts), name)).toString();
  return flameGraphPage({
    nonce: randomBytes(16).toString("base64url"),
    cspSource: webview.cspSource,
    scriptUri: file("flame-graph.js"),
    styleUri: file("flame-graph.css"),
  });
}

/** What the page asks of the editor. */
async function act(message: ToHost, parts: Parts, source: CaptureSource): Promise<void> {
  switch (message.type) {
    case "copy":
      await vscode.env.clipboard.writeText(message.text);
      vscode.window.setStatusBarMessage(message.what === "name" ? vscode.l10n.t("Name copied") : vscode.l10n.t("Stack copied"), 2000);
      return;
    case "export":
      return saveExport(message, source.current()?.uri);
    case "openSource": {
      const fn = functionOf(source.current(), message.functionName, message.file);
      if (fn) await parts.sources.open(fn, message.line);
      else void vscode.window.showInformationMessage(vscode.l10n.t("The capture in view no longer has this function."));
      return;
    }
  }
}

/** Functions may share a shown name; the file tells them apart. */
function functionOf(opened: OpenCapture | undefined, name: string, file: string): FunctionFacts | undefined {
  if (!opened) return undefined;
  const { capture } = opened;
  return capture.functions.find((fn) => fn.name === name && fn.file === file) ?? capture.functions[capture.functionNamed(name)];
}

function texts(): SessionTexts {
  return {
    noCapture: vscode.l10n.t("No capture is in view.\nAttach to a running VM with “Extrospect: Attach to a VM…”, or open a saved one from the Captures view."),
    noSamples: vscode.l10n.t("This capture has no samples: the VM did nothing while it was recorded, or it was recorded too briefly."),
    noSamplesYet: vscode.l10n.t("No samples yet. They show up here as soon as the VM does something."),
    noMatch: vscode.l10n.t("No sample passes the filters."),
    notShown: (name) => vscode.l10n.t("{0} has no samples in the capture in view.", clipped(name)),
    failed: (reason) => vscode.l10n.t("The flame graph could not be built: {0}\nThe log has more (“Extrospect: Show the Log”).", clipped(reason)),
  };
}

/** Names of a profiled VM may be of any length. */
function clipped(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 199)}…`;
}
