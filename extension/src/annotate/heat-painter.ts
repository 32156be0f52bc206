// Puts marks on the hot lines of visible editors.

import * as vscode from "vscode";
import { COLORS } from "../contributions.js";
import type { DocumentHeat, DocumentHeats } from "./document-heats.js";
import type { LineHeat } from "./file-heat.js";
import type { Figures } from "./figures.js";
import { heatLevel } from "./heat-level.js";
import { CHANGED_MARK, HeatMarks } from "./heat-marks.js";

interface Mark {
  readonly line: number;
  /** At the end of the line; empty without. */
  readonly figure: string;
}

export class HeatPainter implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #heats: DocumentHeats;
  readonly #figures: Figures;
  #marks: HeatMarks;
  /** What is painted where, by type; the editor moves marks with the text, so it holds for one version of it. */
  #painted = new WeakMap<vscode.TextEditor, { readonly version: number; readonly byType: string[] }>();

  constructor(context: vscode.ExtensionContext, heats: DocumentHeats, figures: Figures) {
    this.#context = context;
    this.#heats = heats;
    this.#figures = figures;
    this.#marks = new HeatMarks(context, heats.settings);
  }

  async paint(editors: readonly vscode.TextEditor[]): Promise<void> {
    for (const editor of editors) {
      if (!isPlainEditor(editor)) continue;
      const { document } = editor;
      const { version } = document;
      const found = await this.#heats.of(document);
      // Edited meanwhile: the marks move by themselves, and another round follows.
      if (document.version === version) this.#apply(editor, this.#marksOf(found));
    }
  }

  /** After a change of settings. */
  rebuild(): void {
    this.#marks.dispose();
    this.#marks = new HeatMarks(this.#context, this.#heats.settings);
    this.#painted = new WeakMap();
  }

  dispose(): void {
    this.#marks.dispose();
  }

  #marksOf(found: DocumentHeat | undefined): Mark[][] {
    const byType: Mark[][] = this.#marks.types.map(() => []);
    if (found === undefined) return byType;
    const scale = this.#heats.scaleOf(found);
    for (const line of found.heat.lines) {
      const level = heatLevel(line.self, line.total, scale);
      if (level === 0) continue;
      const isChanged = line.state === "changed" || line.state === "unknown";
      byType[isChanged ? CHANGED_MARK : level - 1]?.push({ line: line.line, figure: this.#figure(line, scale.busy) });
    }
    return byType;
  }

  #figure(line: LineHeat, busy: number): string {
    if (!this.#heats.settings.lineFigures) return "";
    const mark = line.state === "changed" || line.state === "unknown" ? "~ " : line.total < this.#heats.settings.minimumSamples ? "≈ " : "";
    const self = this.#figures.percent(line.self, busy);
    return mark + (line.total > line.self ? vscode.l10n.t("{0} self · {1} total", self, this.#figures.percent(line.total, busy)) : vscode.l10n.t("{0} self", self));
  }

  #apply(editor: vscode.TextEditor, byType: readonly Mark[][]): void {
    const before = this.#painted.get(editor);
    const signatures = byType.map((marks) => marks.map(({ line, figure }) => `${line} ${figure}`).join("\n"));
    const { lineCount, version } = editor.document;
    for (const [index, type] of this.#marks.types.entries()) {
      const marks = byType[index] ?? [];
      if (before === undefined ? marks.length === 0 : before.version === version && before.byType[index] === signatures[index]) continue;
      editor.setDecorations(type, marks.filter(({ line }) => line <= lineCount).map(decoration));
    }
    this.#painted.set(editor, { version, byType: signatures });
  }
}

function decoration({ line, figure }: Mark): vscode.DecorationOptions {
  const range = new vscode.Range(line - 1, 0, line - 1, Number.MAX_SAFE_INTEGER);
  if (figure === "") return { range };
  return { range, renderOptions: { after: { contentText: figure, color: new vscode.ThemeColor(COLORS.figures), margin: "0 0 0 3em" } } };
}

/** An editor of its own tab; not a side of a comparison, nor a peek. */
function isPlainEditor(editor: vscode.TextEditor): boolean {
  if (editor.document.uri.scheme !== "file" || editor.viewColumn === undefined) return false;
  const group = vscode.window.tabGroups.all.find(({ viewColumn }) => viewColumn === editor.viewColumn);
  return !(group?.activeTab?.input instanceof vscode.TabInputTextDiff);
}
