// The flame graphs in editors of capture files: a capture has one flame graph, there or in the panel.

import * as vscode from "vscode";
import type { FlameSession } from "./flame-session.js";

interface FlameEditor {
  readonly panel: vscode.WebviewPanel;
  readonly session: FlameSession;
}

export class FlameEditors implements vscode.Disposable {
  /** By the address of the capture; the one that was opened last is the last. */
  readonly #open = new Map<string, FlameEditor[]>();
  readonly #didOpen = new vscode.EventEmitter<vscode.Uri>();

  /** An editor shows the flame graph of this capture. */
  readonly onDidOpen = this.#didOpen.event;

  /** To be disposed of with the editor. */
  add(uri: vscode.Uri, editor: FlameEditor): vscode.Disposable {
    const address = uri.toString();
    this.#open.set(address, [...(this.#open.get(address) ?? []), editor]);
    this.#didOpen.fire(uri);
    return new vscode.Disposable(() => {
      const left = (this.#open.get(address) ?? []).filter((other) => other !== editor);
      if (left.length > 0) this.#open.set(address, left);
      else this.#open.delete(address);
    });
  }

  /** Brings the editor of a capture to the front. @returns undefined when there is none */
  reveal(uri: vscode.Uri): FlameSession | undefined {
    const editor = this.#open.get(uri.toString())?.at(-1);
    editor?.panel.reveal(editor.panel.viewColumn);
    return editor?.session;
  }

  dispose(): void {
    this.#didOpen.dispose();
  }
}
