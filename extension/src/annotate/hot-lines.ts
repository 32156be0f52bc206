// The hot lines of all files of a capture, and going from one to the next.

import * as vscode from "vscode";
import type { CaptureStore, OpenCapture } from "../captures/capture-store.js";
import { measureOf } from "../captures/measure.js";
import { showInformationMessage, showStatusBarMessage } from "../messages/show-message.js";
import type { FileMapper } from "../sources/mapped-file.js";
import { annotateSettings } from "./annotate-settings.js";
import { heatLines, hottestLine } from "./document-heat.js";
import { nextPlace, type HotPlace } from "./hot-line-order.js";

/** Files that are looked into: the hottest ones. */
const MOST_FILES = 50;

export class HotLines {
  constructor(
    private readonly captures: CaptureStore,
    private readonly mapper: FileMapper,
  ) {}

  async go(step: 1 | -1): Promise<void> {
    const opened = this.captures.current;
    if (opened === undefined) {
      void showInformationMessage(vscode.l10n.t("No capture is in view. Attach to a VM or open a capture first."));
      return;
    }
    const files = await this.mapper.filesOf(opened);
    const places = await this.#places(opened, files.slice(0, MOST_FILES));
    const editor = vscode.window.activeTextEditor;
    const here = editor?.document.uri.toString();
    const file = files.findIndex((uri) => uri.toString() === here);
    const index = nextPlace(places, { file, line: (editor?.selection.active.line ?? 0) + 1 }, step);
    const place = places[index];
    const uri = place && files[place.file];
    if (place === undefined || uri === undefined) {
      void showInformationMessage(vscode.l10n.t("No file of this workspace has hot lines in the capture in view."));
      return;
    }
    const position = new vscode.Position(place.line - 1, 0);
    const shown = await vscode.window.showTextDocument(uri, { selection: new vscode.Range(position, position) });
    shown.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    showStatusBarMessage(vscode.l10n.t("Hot line {0} of {1}", index + 1, places.length), 4000);
  }

  async #places(opened: OpenCapture, files: readonly vscode.Uri[]): Promise<HotPlace[]> {
    const { heatMinimumPercent, heatScope } = annotateSettings();
    const { capture } = opened;
    const measure = measureOf(capture);
    const hottest = heatScope === "capture" ? hottestLine(capture, measure) : undefined;
    const places: HotPlace[] = [];
    for (const [file, uri] of files.entries()) {
      const document = await vscode.workspace.openTextDocument(uri).then(
        (there) => there,
        () => undefined,
      );
      const mapped = document && (await this.mapper.map(document, opened));
      if (mapped === undefined) continue;
      const lines = heatLines(capture, mapped, { measure, busy: capture.totals.busy, minimumPercent: heatMinimumPercent }, hottest);
      places.push(...lines.filter(({ level }) => level > 0).map(({ line }) => ({ file, line })));
    }
    return places;
  }
}
