// A lens above each hot function.

import * as vscode from "vscode";
import { COMMANDS } from "../contributions.js";
import type { DocumentHeat, DocumentHeats } from "./document-heats.js";
import type { FunctionHeat } from "./file-heat.js";
import type { Figures } from "./figures.js";

/** While live, lenses change at most this often. */
const PATIENCE_MS = 1_000;

export class HeatLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #heats: DocumentHeats;
  readonly #figures: Figures;
  readonly #didChange = new vscode.EventEmitter<void>();
  /** What each document shows, to be asked anew only when it would differ. */
  readonly #shown = new WeakMap<vscode.TextDocument, string>();
  #lastFired = 0;
  #timer: NodeJS.Timeout | undefined;

  readonly onDidChangeCodeLenses = this.#didChange.event;

  constructor(heats: DocumentHeats, figures: Figures) {
    this.#heats = heats;
    this.#figures = figures;
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const lenses = await this.#lenses(document);
    this.#shown.set(document, signature(lenses));
    return lenses;
  }

  /** Asks the editor for new lenses if those of a visible document would differ. */
  async refresh(): Promise<void> {
    const documents = new Set(vscode.window.visibleTextEditors.map((editor) => editor.document));
    for (const document of documents) {
      if (signature(await this.#lenses(document)) !== (this.#shown.get(document) ?? "")) {
        this.#fireSoon();
        return;
      }
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#didChange.dispose();
  }

  #fireSoon(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#lastFired + PATIENCE_MS - 50 - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#lastFired = Date.now();
      this.#didChange.fire();
    }, wait);
  }

  async #lenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const { settings } = this.#heats;
    if (!settings.codeLens) return [];
    const found = await this.#heats.of(document);
    if (found === undefined) return [];
    const { busy } = found.opened.capture.totals;
    const needed = Math.max(1, (busy * settings.codeLensMinimumPercent) / 100);
    return found.heat.functions
      .filter((fn) => fn.headLine > 0 && fn.headLine <= document.lineCount && fn.total >= needed)
      .sort((a, b) => a.headLine - b.headLine || b.total - a.total)
      .map((fn) => this.#lens(document, found, fn, busy));
  }

  #lens(document: vscode.TextDocument, { opened, view }: DocumentHeat, fn: FunctionHeat, busy: number): vscode.CodeLens {
    const isUncertain = fn.total < this.#heats.settings.minimumSamples;
    const text = vscode.l10n.t(
      "{0} self · {1} total · {2} samples",
      this.#figures.percent(fn.self, busy),
      this.#figures.percent(fn.total, busy),
      this.#figures.count(fn.total),
    );
    const tooltip = [
      vscode.l10n.t("{0}: shares of the {1} samples in which the VM was busy", fn.name, this.#figures.count(busy)),
      ...(fn.members.length > 1 ? [vscode.l10n.t("Closures and comprehensions in it are counted in")] : []),
      ...(isUncertain ? [vscode.l10n.t("Fewer than {0} samples: the next capture may well say something else", this.#figures.count(this.#heats.settings.minimumSamples))] : []),
      ...(view.baseline === undefined ? [vscode.l10n.t("This file differs from what the VM runs")] : []),
    ].join("\n");
    return new vscode.CodeLens(new vscode.Range(fn.headLine - 1, 0, fn.headLine - 1, 0), {
      title: isUncertain ? `≈ ${text}` : text,
      tooltip,
      command: COMMANDS.functionMenu,
      arguments: [{ functionName: opened.capture.functions[fn.functionIndex]?.name ?? "", uri: document.uri.toString() }],
    });
  }
}

function signature(lenses: readonly vscode.CodeLens[]): string {
  return lenses.map((lens) => `${lens.range.start.line} ${lens.command?.title ?? ""}`).join("\n");
}
