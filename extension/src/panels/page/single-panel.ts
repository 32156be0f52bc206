// One panel of a kind: shown again rather than opened twice, and brought back with the window.

import * as vscode from "vscode";
import type { ExtensionServices } from "../../extension-services.js";
import { fillPanel, webviewOptions, type PanelContent } from "./webview-page.js";

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
  readonly #services: ExtensionServices;
  readonly #kind: PanelKind<Content>;
  #open: { readonly panel: vscode.WebviewPanel; readonly content: Content } | null = null;

  constructor(services: ExtensionServices, kind: PanelKind<Content>) {
    this.#services = services;
    this.#kind = kind;
    const { restored } = kind;
    if (!restored) return;
    services.context.subscriptions.push(
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

  /**
   * Opens it, or brings it to the front.
   * @param beside the source being edited stays in sight
   */
  show(beside = true): Content {
    if (this.#open) {
      this.#open.panel.reveal(this.#open.panel.viewColumn);
      return this.#open.content;
    }
    const viewColumn = beside && vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    const { viewType, title } = this.#kind;
    const options = webviewOptions(this.#services);
    return this.#adopt(vscode.window.createWebviewPanel(viewType, title(), viewColumn, options));
  }

  /** Call it when what the title is made of has changed. */
  retitle(): void {
    const title = this.#kind.title();
    if (this.#open && this.#open.panel.title !== title) this.#open.panel.title = title;
  }

  get content(): Content | undefined {
    return this.#open?.content;
  }

  #adopt(panel: vscode.WebviewPanel): Content {
    const content = this.#kind.fill(panel);
    const mine = { panel, content };
    this.#open = mine;
    panel.onDidDispose(() => {
      if (this.#open === mine) this.#open = null;
    });
    panel.title = this.#kind.title();
    fillPanel(panel, this.#services, this.#kind.page, content);
    return content;
  }
}
