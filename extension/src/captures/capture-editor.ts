// The editor of *.pb.gz files, our own and other tools'.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { CAPTURE_EDITOR } from "../contributions.js";
import { fileName } from "../text/base-name.js";
import { problemPage, summaryPage, waitingPage, type PageText } from "./capture-page.js";
import type { CaptureStore, OpenCapture } from "./capture-store.js";
import { summaryOf } from "./capture-summary.js";
import { showCapture, UnreadableCapture } from "./open-capture.js";

/** Fills the editor of a capture that could be read. What it returns is disposed of with the panel. */
export type FillCaptureEditor = (panel: vscode.WebviewPanel, opened: OpenCapture) => vscode.Disposable | undefined;

/** Facts and quality, without a script. */
export function fillWithSummary(panel: vscode.WebviewPanel, opened: OpenCapture): undefined {
  panel.webview.options = { enableScripts: false, localResourceRoots: [] };
  panel.webview.html = summaryPage(opened.title, summaryOf(opened.capture), pageText());
}

export function registerCaptureEditor(captures: CaptureStore, log: vscode.LogOutputChannel, fill: FillCaptureEditor): vscode.Disposable {
  return vscode.window.registerCustomEditorProvider(CAPTURE_EDITOR, new CaptureEditor(captures, log, fill), { supportsMultipleEditorsPerDocument: true });
}

class CaptureEditor implements vscode.CustomReadonlyEditorProvider {
  constructor(
    private readonly captures: CaptureStore,
    private readonly log: vscode.LogOutputChannel,
    private readonly fill: FillCaptureEditor,
  ) {}

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    // Read when it is shown: what cannot be read must become a page, and throwing here becomes a stack trace.
    return { uri, dispose: () => {} };
  }

  async resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): Promise<void> {
    const l10n = vscode.l10n;
    let filled: vscode.Disposable | undefined;
    let waiting: vscode.Disposable | undefined;
    let shown: OpenCapture | undefined;
    let isGone = false;
    panel.onDidDispose(() => {
      isGone = true;
      filled?.dispose();
      waiting?.dispose();
    });
    // What is looked at is what the sources show, too.
    panel.onDidChangeViewState(() => {
      if (panel.active && shown !== undefined && this.captures.get(uri) === shown && this.captures.current !== shown) this.captures.show(shown);
    });
    const show = async (): Promise<void> => {
      if (this.captures.get(uri) === undefined) panel.webview.html = waitingPage(l10n.t("Opening {0}…", fileName(uri)), pageText());
      try {
        shown = await showCapture(uri, this.captures);
        if (isGone) return;
        filled = this.fill(panel, shown);
      } catch (error) {
        const unreadable = error instanceof UnreadableCapture ? error : new UnreadableCapture(l10n.t("{0} cannot be shown", fileName(uri)), String(error), l10n.t("The log tells more."));
        this.log.error(unreadable.message);
        if (isGone) return;
        panel.webview.html = problemPage(unreadable.what, unreadable.why, unreadable.fix, pageText());
        waiting ??= whenChanged(uri, () => void show());
      }
    };
    await show();
  }
}

/** Another program may still be writing the file. */
function whenChanged(uri: vscode.Uri, run: () => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.joinPath(uri, ".."), fileName(uri)));
  return vscode.Disposable.from(watcher, watcher.onDidChange(run), watcher.onDidCreate(run));
}

function pageText(): PageText {
  return { language: vscode.env.language, nonce: randomBytes(16).toString("base64url"), l10n: vscode.l10n };
}
