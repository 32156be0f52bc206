// The decoration types all editors share: five levels, and one for lines that were edited since.

import * as vscode from "vscode";
import { COLORS } from "../contributions.js";
import { LEVELS } from "./heat-level.js";
import type { HeatSettings } from "./heat-settings.js";

/** Index of the type for lines that were edited; 0 to 4 are the levels 1 to 5. */
export const CHANGED_MARK = LEVELS;

/** Made anew when settings change: what a type looks like cannot be changed. */
export class HeatMarks implements vscode.Disposable {
  readonly types: readonly vscode.TextEditorDecorationType[];

  constructor(context: vscode.ExtensionContext, settings: HeatSettings) {
    const icon = (name: string): vscode.Uri => vscode.Uri.joinPath(context.extensionUri, "media", "heat", `${name}.svg`);
    const look = (name: string, color: string | undefined): vscode.DecorationRenderOptions => ({
      isWholeLine: true,
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      ...(color !== undefined && settings.overviewRuler ? { overviewRulerColor: new vscode.ThemeColor(color), overviewRulerLane: vscode.OverviewRulerLane.Right } : {}),
      ...(color !== undefined && settings.lineBackground ? { backgroundColor: new vscode.ThemeColor(color) } : {}),
      ...(settings.gutter
        ? { gutterIconSize: "contain", dark: { gutterIconPath: icon(`${name}-dark`) }, light: { gutterIconPath: icon(`${name}-light`) } }
        : {}),
    });
    this.types = [
      ...COLORS.heat.map((color, index) => vscode.window.createTextEditorDecorationType(look(`level-${index + 1}`, color))),
      vscode.window.createTextEditorDecorationType(look("changed", COLORS.heat[0])),
    ];
  }

  dispose(): void {
    for (const type of this.types) type.dispose();
  }
}
