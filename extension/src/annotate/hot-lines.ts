// The hot lines of all files of a capture, and going to the hottest and from one to the next by heat.

import * as vscode from "vscode";
import { marked, percent } from "../../../contract/figures.js";
import type { OpenCapture } from "../captures/capture-store.js";
import { attributionOf, minimumNow, wholeNow } from "../captures/attribution.js";
import { showMissing } from "../captures/show-missing.js";
import { showStatusBarMessage } from "../messages/show-message.js";
import type { ExtensionServices } from "../extension-services.js";
import type { FileMapper } from "../sources/mapped-file.js";
import { annotateSettings } from "./annotate-settings.js";
import { heatLines, hottestLine } from "./document-heat.js";
import { byHeat, nextHotLine, type HotLine } from "./hot-line-order.js";

/** Only the hottest files are read. */
const MOST_FILES = 50;

/** A hot line of a file as it is now. */
export interface FoundLine extends HotLine {
  readonly uri: vscode.Uri;
  /** The function with most of its samples. */
  readonly functionIndex: number;
  readonly text: string;
}

export class HotLines {
  constructor(
    private readonly services: Pick<ExtensionServices, "captures" | "sources">,
    private readonly mapper: FileMapper,
  ) {}

  /** The hot lines of the hottest files of the workspace, the hottest line first. */
  async of(opened: OpenCapture, mostFiles = MOST_FILES): Promise<FoundLine[]> {
    const files = await this.mapper.filesOf(opened);
    return byHeat(await this.#lines(opened, files.slice(0, mostFiles)));
  }

  /** @param step to the next cooler (1) or hotter (-1) line; without it, to the hottest one */
  async go(step?: 1 | -1): Promise<void> {
    const { captures, sources } = this.services;
    const opened = captures.current;
    if (opened === undefined) {
      void showMissing("inView");
      return;
    }
    const lines = await this.of(opened);
    const index = step === undefined ? 0 : nextHotLine(lines, cursorIn(lines), step);
    const hot = lines[index];
    if (hot === undefined) {
      void showMissing("hotLines");
      return;
    }
    await sources.showLine(hot.uri, hot.line);
    const share = percent(hot.samples, wholeNow(opened.capture), vscode.env.language, "tenths");
    const shown = marked(share, hot.samples, minimumNow(opened.capture));
    showStatusBarMessage(vscode.l10n.t("Hot line {0} of {1}: {2}", index + 1, lines.length, shown), 4000);
  }

  async #lines(opened: OpenCapture, files: readonly vscode.Uri[]): Promise<FoundLine[]> {
    const { heatMinimumPercent, heatScope } = annotateSettings();
    const { capture } = opened;
    const attribution = attributionOf(capture);
    const hottest = heatScope === "capture" ? hottestLine(capture, attribution) : undefined;
    const found: FoundLine[] = [];
    for (const [file, uri] of files.entries()) {
      const document = await vscode.workspace.openTextDocument(uri).then(
        (there) => there,
        () => undefined,
      );
      const mapped = document && (await this.mapper.map(document, opened));
      if (document === undefined || mapped === undefined) continue;
      const lines = heatLines(
        capture,
        mapped,
        { attribution, whole: wholeNow(capture), minimumPercent: heatMinimumPercent },
        hottest,
      );
      const hot = lines.filter(({ level }) => level > 0);
      for (const { line, places, ...counts } of hot) {
        if (line > document.lineCount) continue;
        const functionIndex = places[0]?.functionIndex ?? -1;
        const { text } = document.lineAt(line - 1);
        found.push({ file, uri, line, samples: counts[attribution], functionIndex, text });
      }
    }
    return found;
  }
}

function cursorIn(lines: readonly FoundLine[]): { file: number; line: number } {
  const editor = vscode.window.activeTextEditor;
  const here = editor?.document.uri.toString();
  const file = lines.find(({ uri }) => uri.toString() === here)?.file ?? -1;
  return { file, line: (editor?.selection.active.line ?? 0) + 1 };
}
