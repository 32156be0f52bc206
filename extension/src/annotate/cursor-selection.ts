// The function at the cursor is the one that the views of the capture on the sources mark.

import * as vscode from "vscode";
import type { ExtensionServices } from "../extension-services.js";
import type { FileMapper } from "../sources/mapped-file.js";
import { forLog } from "../text/error-text.js";
import { functionAt } from "./function-at.js";

/** A cursor that passes through functions selects none of them. */
const CURSOR_PAUSE_MS = 200;

export function selectAtCursor(
  { captures, log }: Pick<ExtensionServices, "captures" | "log">,
  mapper: FileMapper,
): vscode.Disposable {
  let pause: NodeJS.Timeout | undefined;
  const select = async ({ document, selection }: vscode.TextEditor) => {
    const opened = captures.onSources;
    if (opened === undefined) return;
    const mapped = await mapper.map(document, opened);
    if (mapped === undefined || captures.get(opened.uri) !== opened) return;
    const functionIndex = functionAt(mapped, selection.active.line + 1, captures.selectedFunction(opened));
    if (functionIndex >= 0) captures.selectFunction(opened, functionIndex);
  };
  return vscode.Disposable.from(
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
      clearTimeout(pause);
      if (captures.onSources === undefined || textEditor.document.uri.scheme !== "file") return;
      pause = setTimeout(() => {
        select(textEditor).catch((error: unknown) => log.error(forLog(error)));
      }, CURSOR_PAUSE_MS);
    }),
    // Another choice since then is the newer one.
    captures.onDidSelectFunction(() => clearTimeout(pause)),
    new vscode.Disposable(() => clearTimeout(pause)),
  );
}
