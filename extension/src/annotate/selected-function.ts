// The function that is selected in the views of the capture on the sources has a line along its left edge in its source.

import * as vscode from "vscode";
import { COLORS } from "../contributions.js";
import type { ExtensionServices } from "../extension-services.js";
import type { FileMapper } from "../sources/mapped-file.js";
import { forLog } from "../text/error-text.js";
import { linesOfFunction } from "./function-at.js";
import { plainEditors } from "./plain-editors.js";
import { SelectedMark } from "./selected-mark.js";

export class SelectedFunction implements vscode.Disposable {
  readonly #mark: SelectedMark<vscode.TextEditor>;
  readonly #type = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    // A line, whatever its colour: backgrounds are of heat.
    borderStyle: "solid",
    borderWidth: "0 0 0 2px",
    borderColor: new vscode.ThemeColor(COLORS.selectedFunction),
  });
  readonly #listening: vscode.Disposable;

  constructor({ captures, log }: Pick<ExtensionServices, "captures" | "log">, mapper: FileMapper) {
    this.#mark = new SelectedMark<vscode.TextEditor>({
      all: plainEditors,
      version: ({ document }) => document.version,
      linesIn: async ({ document }) => {
        const opened = captures.onSources;
        const functionIndex = opened && captures.selectedFunction(opened);
        if (opened === undefined || functionIndex === undefined) return undefined;
        const mapped = await mapper.map(document, opened);
        return mapped && linesOfFunction(mapped, functionIndex);
      },
      draw: (editor, lines) => {
        editor.setDecorations(this.#type, lines === undefined ? [] : [rangeOf(editor.document, lines)]);
      },
    });
    this.#listening = captures.onDidSelectFunction((opened) => {
      if (opened === captures.onSources) this.refresh().catch((error: unknown) => log.error(forLog(error)));
    });
  }

  /** To be called when editors, their text or the capture on the sources changed. */
  refresh(): Promise<void> {
    return this.#mark.refresh();
  }

  dispose(): void {
    this.#listening.dispose();
    this.#type.dispose();
  }
}

/** The text may have lost lines since they were mapped. */
function rangeOf(document: vscode.TextDocument, { line, endLine }: { line: number; endLine: number }): vscode.Range {
  return document.validateRange(new vscode.Range(line - 1, 0, endLine - 1, Number.MAX_SAFE_INTEGER));
}
