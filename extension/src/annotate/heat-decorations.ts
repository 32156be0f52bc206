// Marks beside, behind and after hot lines: seven decoration types in all, shared by every editor.

import * as vscode from "vscode";
import type { Attribution } from "../../../contract/capture-answers.js";
import { percent, UNSURE } from "../../../contract/figures.js";
import { COLORS } from "../contributions.js";
import type { AnnotateSettings } from "./annotate-settings.js";
import { changeForLine } from "./change-text.js";
import type { LineChanges } from "./changed-lines.js";
import type { HeatLine } from "./document-heat.js";
import type { HeatLevel } from "./heat-level.js";

/** Levels 1 to 5, then lines that were edited since, then those that are not hot and changed since the baseline. */
const EDITED = 5;
const CHANGED_ONLY = 6;
/** Marks of cooler lines would fill the ruler and hide those that matter. */
const COOLEST_ON_RULER = 2;

/** What the figures of lines are. */
interface LineFigures {
  readonly attribution: Attribution;
  /** 100 %. */
  readonly whole: number;
  /** Figures of fewer samples are marked. */
  readonly minimumSamples: number;
}

export class HeatDecorations implements vscode.Disposable {
  #types: vscode.TextEditorDecorationType[] = [];
  /** What each editor shows, so that an update that changes nothing redraws nothing. */
  #shown = new WeakMap<vscode.TextEditor, string>();
  #settings: AnnotateSettings;

  constructor(
    private readonly media: vscode.Uri,
    settings: AnnotateSettings,
  ) {
    this.#settings = settings;
    this.#make();
  }

  /** Part of the look belongs to the type, so new settings need new types. Editors must be painted again afterwards. */
  rebuild(settings: AnnotateSettings): void {
    this.#settings = settings;
    this.dispose();
    this.#make();
  }

  /** @param changes differences from the baseline, by line */
  paint(
    editor: vscode.TextEditor,
    lines: readonly HeatLine[],
    figures: LineFigures,
    changes: LineChanges = new Map(),
  ): void {
    const { attribution, whole, minimumSamples } = figures;
    const texts = this.#changeTexts(changes);
    const known = new Set(lines.map(({ line }) => line));
    const withoutSamples = [...texts.keys()]
      .filter((line) => !known.has(line))
      .map((line): HeatLine => ({ line, own: 0, self: 0, total: 0, level: 0, state: "exact", places: [] }));
    const shown = [...lines.filter(({ level, line }) => level > 0 || texts.has(line)), ...withoutSamples];
    // Marks move with edits and vanish with deleted text, so they are valid for one version of the document.
    const print =
      `${String(editor.document.version)} ${String(minimumSamples)}\n` +
      shown
        .map((heat) => {
          const change = texts.get(heat.line) ?? "";
          return `${String(heat.line)} ${String(heat.level)} ${heat.state}${this.#settings.lineFigures || change !== "" ? ` ${String(heat[attribution])}/${String(whole)}` : ""} ${change}`;
        })
        .join("\n");
    if (this.#shown.get(editor) === print) return;
    this.#shown.set(editor, print);
    const ranges: vscode.DecorationOptions[][] = this.#types.map(() => []);
    for (const line of shown) {
      // The text may have lost lines since this was counted.
      if (line.line > editor.document.lineCount) continue;
      const end = editor.document.lineAt(line.line - 1).range.end;
      const range = new vscode.Range(line.line - 1, 0, line.line - 1, end.character);
      // A change is shown beside today's figure, whether figures are on or not.
      const change = texts.get(line.line) ?? "";
      const contentText = [...(this.#settings.lineFigures || change !== "" ? [figureOf(line, figures)] : []), change]
        .filter((part) => part !== "")
        .join(" ");
      ranges[typeIndex(line)]?.push(
        contentText === "" ? { range } : { range, renderOptions: { after: { contentText } } },
      );
    }
    this.#types.forEach((type, index) => {
      editor.setDecorations(type, ranges[index] ?? []);
    });
  }

  clear(editor: vscode.TextEditor): void {
    if (!this.#shown.delete(editor)) return;
    for (const type of this.#types) editor.setDecorations(type, []);
  }

  dispose(): void {
    for (const type of this.#types) type.dispose();
    this.#types = [];
    this.#shown = new WeakMap();
  }

  /** Of changes that are certain, at lines that are large enough on a side to be looked at. */
  #changeTexts(changes: LineChanges): ReadonlyMap<number, string> {
    const large = [...changes].filter(
      ([, { before, now }]) => Math.max(before, now) >= this.#settings.heatMinimumPercent,
    );
    return new Map(
      large
        .map(([line, change]) => [line, changeForLine(change, vscode.env.language)] as const)
        .filter(([, text]) => text !== ""),
    );
  }

  #make(): void {
    const levels: HeatLevel[] = [1, 2, 3, 4, 5];
    this.#types = [
      ...levels.map((level) => this.#type(`heat-${String(level)}`, level)),
      this.#type("heat-edited", 1),
      vscode.window.createTextEditorDecorationType(FIGURES),
    ];
  }

  #type(icon: string, level: HeatLevel): vscode.TextEditorDecorationType {
    const { gutter, overviewRuler, lineBackground } = this.#settings;
    const file = (theme: string) => vscode.Uri.joinPath(this.media, "gutter", `${icon}-${theme}.svg`);
    const color = COLORS.heat[level - 1] ?? COLORS.heat[0];
    return vscode.window.createTextEditorDecorationType({
      ...FIGURES,
      ...(gutter && {
        gutterIconSize: "contain",
        dark: { gutterIconPath: file("dark") },
        light: { gutterIconPath: file("light") },
      }),
      ...(overviewRuler &&
        level >= COOLEST_ON_RULER && {
          overviewRulerColor: new vscode.ThemeColor(COLORS.overviewRuler),
          // The hottest stand out by width, not by colour alone.
          overviewRulerLane: level >= 4 ? vscode.OverviewRulerLane.Full : vscode.OverviewRulerLane.Right,
        }),
      ...(lineBackground && { backgroundColor: new vscode.ThemeColor(color) }),
    });
  }
}

function figureOf(heat: HeatLine, { attribution, whole, minimumSamples }: LineFigures): string {
  const { state } = heat;
  const samples = heat[attribution];
  const unsure = state === "changed" || state === "unknown" || samples < minimumSamples ? `${UNSURE} ` : "";
  return `${unsure}${percent(samples, whole, vscode.env.language, "tenths")}`;
}

const FIGURES: vscode.DecorationRenderOptions = {
  isWholeLine: true,
  rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  after: { color: new vscode.ThemeColor(COLORS.figures), margin: "0 0 0 3em" },
};

function typeIndex({ level, state }: HeatLine): number {
  if (level === 0) return CHANGED_ONLY;
  return state === "changed" ? EDITED : level - 1;
}
