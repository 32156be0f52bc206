// The editor of *.pb.gz files, our own and other tools'.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { CAPTURE_EDITOR } from "../contributions.js";
import { fileName } from "../text/base-name.js";
import { problemPage, summaryPage, waitingPage, type PageText } from "./capture-page.js";
import type { CaptureStore, OpenCapture } from "./capture-store.js";
import { summaryOf } from "./capture-summary.js";
import { Filling } from "./filling.js";
import { showCapture, UnreadableCapture } from "./open-capture.js";

/** Fills the editor of a capture that could be read. The returned object is disposed of with the panel. */
export type FillCaptureEditor = (panel: vscode.WebviewPanel, opened: OpenCapture) => vscode.Disposable | undefined;

/** Facts and quality, without a script. */
export function fillWithSummary(panel: vscode.WebviewPanel, opened: OpenCapture): undefined {
  panel.webview.options = { enableScripts: false, localResourceRoots: [] };
  panel.webview.html = summaryPage(opened.title, summaryOf(opened.capture), pageText());
}

export function registerCaptureEditor(
  captures: CaptureStore,
  log: vscode.LogOutputChannel,
  fill: FillCaptureEditor,
): vscode.Disposable {
  return vscode.window.registerCustomEditorProvider(CAPTURE_EDITOR, new CaptureEditor(captures, log, fill), {
    supportsMultipleEditorsPerDocument: true,
  });
}

class CaptureEditor implements vscode.CustomReadonlyEditorProvider {
  constructor(
    private readonly captures: CaptureStore,
    private readonly log: vscode.LogOutputChannel,
    private readonly fill: FillCaptureEditor,
  ) {}

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    // The file is read when it is shown: a read error must become a page, and an exception here becomes a stack trace.
    return { uri, dispose: () => {} };
  }

  async resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): Promise<void> {
    let shown: OpenCapture | undefined;
    const filling = new Filling<OpenCapture>({
      read: () => this.#read(uri, panel),
      fill: (opened) => {
        shown = opened;
        return this.fill(panel, opened);
      },
      failed: (error) => {
        this.#showProblem(uri, panel, error);
      },
      whenChanged: (run) => whenChanged(uri, run),
    });
    const held = this.captures.hold(uri);
    panel.onDidDispose(() => {
      filling.dispose();
      held.dispose();
    });
    // The sources show the capture of the tab in front, too.
    panel.onDidChangeViewState(() => {
      if (panel.active && shown !== undefined && this.captures.get(uri) === shown && this.captures.current !== shown)
        this.captures.show(shown);
    });
    await filling.start();
  }

  #read(uri: vscode.Uri, panel: vscode.WebviewPanel): Promise<OpenCapture> {
    if (this.captures.get(uri) === undefined)
      panel.webview.html = waitingPage(vscode.l10n.t("Opening {0}…", fileName(uri)), pageText());
    return showCapture(uri, this.captures);
  }

  #showProblem(uri: vscode.Uri, panel: vscode.WebviewPanel, error: unknown): void {
    const l10n = vscode.l10n;
    const unreadable =
      error instanceof UnreadableCapture
        ? error
        : new UnreadableCapture(
            l10n.t("{0} cannot be shown", fileName(uri)),
            String(error),
            l10n.t("The log has more details."),
          );
    this.log.error(unreadable.message);
    panel.webview.html = problemPage(unreadable.what, unreadable.why, unreadable.fix, pageText());
  }
}

/** Another program may still be writing the file. */
function whenChanged(uri: vscode.Uri, run: () => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher(
    new vscode.RelativePattern(vscode.Uri.joinPath(uri, ".."), fileName(uri)),
  );
  return vscode.Disposable.from(watcher, watcher.onDidChange(run), watcher.onDidCreate(run));
}

function pageText(): PageText {
  return { language: vscode.env.language, nonce: randomBytes(16).toString("base64url"), l10n: vscode.l10n };
}
