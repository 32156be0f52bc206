// Decides when lenses, marks and the status are looked at again.

import * as vscode from "vscode";
import type { CaptureStore } from "../captures/capture-store.js";
import type { Sources } from "../sources/sources.js";
import type { DriftStatus } from "./drift-status.js";
import type { HeatPainter } from "./heat-painter.js";
import type { HeatLenses } from "./lens-provider.js";

/** Marks move with the text by themselves; this long after the last key they are put where the comparison says. */
const TYPING_PAUSE_MS = 300;

export class Annotator implements vscode.Disposable {
  readonly #lenses: HeatLenses;
  readonly #painter: HeatPainter;
  readonly #status: DriftStatus;
  readonly #log: vscode.LogOutputChannel;
  readonly #subscriptions: vscode.Disposable[] = [];
  readonly #typing = new Map<vscode.TextDocument, NodeJS.Timeout>();
  /** One round at a time; of the rounds asked for meanwhile only one follows. */
  #round: Promise<void> | undefined;
  #again = false;

  constructor(captures: CaptureStore, sources: Sources, lenses: HeatLenses, painter: HeatPainter, status: DriftStatus, log: vscode.LogOutputChannel) {
    this.#lenses = lenses;
    this.#painter = painter;
    this.#status = status;
    this.#log = log;
    this.#subscriptions.push(
      captures.onDidChangeCurrent(() => this.refresh()),
      captures.onDidUpdate((opened) => {
        if (opened === captures.current) this.refresh();
      }),
      sources.finder.onDidChange(() => this.refresh()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.refresh()),
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && captures.current !== undefined) this.#typed(document);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        clearTimeout(this.#typing.get(document));
        this.#typing.delete(document);
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration("extrospect.heat") && !event.affectsConfiguration("extrospect.codeLens") && !event.affectsConfiguration("extrospect.trust")) return;
        this.#painter.rebuild();
        this.refresh();
      }),
      { dispose: () => this.#typing.forEach((timer) => clearTimeout(timer)) },
    );
    if (captures.current !== undefined) this.refresh();
  }

  /** Looks at all visible editors again, soon. */
  refresh(): void {
    if (this.#round !== undefined) {
      this.#again = true;
      return;
    }
    this.#round = this.#paintAll()
      .catch((error: unknown) => this.#log.error("The heat could not be shown", error))
      .finally(() => {
        this.#round = undefined;
        if (this.#again) {
          this.#again = false;
          this.refresh();
        }
      });
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #paintAll(): Promise<void> {
    // Whoever types gets marks and lenses again when they pause.
    const editors = vscode.window.visibleTextEditors.filter(({ document }) => !this.#typing.has(document));
    await this.#painter.paint(editors);
    await this.#lenses.refresh();
    await this.#status.refresh();
  }

  #typed(document: vscode.TextDocument): void {
    clearTimeout(this.#typing.get(document));
    this.#typing.set(
      document,
      setTimeout(() => {
        this.#typing.delete(document);
        this.refresh();
      }, TYPING_PAUSE_MS),
    );
  }
}
