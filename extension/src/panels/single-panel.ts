// One panel of a kind: shown again rather than opened twice, and brought back with the window.

import * as vscode from "vscode";
import type { Parts } from "../parts.js";
import { pageOf, webviewOptions } from "./webview-page.js";

/** What fills a panel for as long as it is open. */
export interface PanelContent<Message> extends vscode.Disposable {
  receive(message: Message): void | Promise<void>;
  setVisible(visible: boolean): void;
}

export interface PanelKind<Content> {
  readonly viewType: string;
  /** Folder of webviews/. */
  readonly page: string;
  readonly title: () => string;
  fill(panel: vscode.WebviewPanel): Content;
  /** A panel comes back after a restart, with what its page had kept. Panels without it stay closed. */
  restored?(state: unknown): void;
}

export class SinglePanel<Message, Content extends PanelContent<Message>> {
  readonly #parts: Parts;
  readonly #kind: PanelKind<Content>;
  #open: { readonly panel: vscode.WebviewPanel; readonly content: Content } | null = null;

  constructor(parts: Parts, kind: PanelKind<Content>) {
    this.#parts = parts;
    this.#kind = kind;
    const { restored } = kind;
    if (!restored) return;
    parts.context.subscriptions.push(
      vscode.window.registerWebviewPanelSerializer(kind.viewType, {
        deserializeWebviewPanel: (panel: vscode.WebviewPanel, state: unknown) => {
          // A second one can only come from a state of another version.
          if (this.#open) panel.dispose();
          else {
            this.#adopt(panel);
            restored(state);
          }
          return Promise.resolve();
        },
      }),
    );
  }

  /** Opens it, or brings it to the front. Asked for from source, the source stays in sight. */
  show(): Content {
    if (this.#open) {
      this.#open.panel.reveal(this.#open.panel.viewColumn);
      return this.#open.content;
    }
    const column = vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    return this.#adopt(vscode.window.createWebviewPanel(this.#kind.viewType, this.#kind.title(), column, webviewOptions(this.#parts)));
  }

  /** The title may say something else now. */
  retitle(): void {
    const title = this.#kind.title();
    if (this.#open && this.#open.panel.title !== title) this.#open.panel.title = title;
  }

  get content(): Content | undefined {
    return this.#open?.content;
  }

  #adopt(panel: vscode.WebviewPanel): Content {
    const { log } = this.#parts;
    const content = this.#kind.fill(panel);
    const mine = { panel, content };
    this.#open = mine;
    const failed = (error: unknown) => {
      log.error(error instanceof Error ? error : String(error));
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    };
    const subscriptions = [
      panel.webview.onDidReceiveMessage((message: Message) => {
        Promise.resolve(message).then((told) => content.receive(told)).catch(failed);
      }),
      panel.onDidChangeViewState(() => content.setVisible(panel.visible)),
    ];
    panel.onDidDispose(() => {
      for (const subscription of subscriptions) subscription.dispose();
      content.dispose();
      if (this.#open === mine) this.#open = null;
    });
    content.setVisible(panel.visible);
    panel.title = this.#kind.title();
    panel.webview.options = webviewOptions(this.#parts);
    panel.webview.html = pageOf(panel.webview, this.#parts, this.#kind.page, panel.title);
    return content;
  }
}

/** Rejected only when the panel is going. */
export function postTo(panel: vscode.WebviewPanel, message: unknown): void {
  panel.webview.postMessage(message).then(undefined, () => {});
}

export const editorClock = {
  nowMs: () => performance.now(),
  later: (ms: number, call: () => void) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};
