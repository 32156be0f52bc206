// The heat of documents for the capture in view, computed once for lens, marks, hover and commands.

import * as vscode from "vscode";
import type { CaptureStore, OpenCapture } from "../captures/capture-store.js";
import type { DocumentView } from "../sources/document-view.js";
import type { DocumentViews } from "../sources/document-views.js";
import { fileHeat, type FileHeat } from "./file-heat.js";
import type { HeatScale } from "./heat-level.js";
import { readHeatSettings, type HeatSettings } from "./heat-settings.js";

export interface DocumentHeat {
  readonly opened: OpenCapture;
  readonly view: DocumentView;
  readonly heat: FileHeat;
}

interface Remembered extends DocumentHeat {
  readonly revision: number;
  readonly settings: HeatSettings;
}

export class DocumentHeats implements vscode.Disposable {
  readonly #captures: CaptureStore;
  readonly #views: DocumentViews;
  readonly #heats = new WeakMap<vscode.TextDocument, Remembered>();
  readonly #subscription: vscode.Disposable;
  #settings = readHeatSettings();
  #hottest: { readonly opened: OpenCapture; readonly revision: number; readonly self: number } | undefined;

  constructor(captures: CaptureStore, views: DocumentViews) {
    this.#captures = captures;
    this.#views = views;
    this.#subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("extrospect")) this.#settings = readHeatSettings();
    });
  }

  get settings(): HeatSettings {
    return this.#settings;
  }

  /** Undefined when no capture is in view, or it has nothing in this file. */
  async of(document: vscode.TextDocument): Promise<DocumentHeat | undefined> {
    const opened = this.#captures.current;
    if (opened === undefined || document.uri.scheme !== "file") return undefined;
    const view = await this.#views.view(opened, document);
    if (view === undefined || this.#captures.current !== opened) return undefined;
    const { revision, totals } = opened.capture;
    const known = this.#heats.get(document);
    if (known !== undefined && known.opened === opened && known.view === view && known.revision === revision && known.settings === this.#settings) return known;
    const needed = Math.max(1, (totals.busy * this.#settings.minimumPercent) / 100);
    const heat = { opened, view, heat: fileHeat(opened.capture, view, needed), revision, settings: this.#settings };
    this.#heats.set(document, heat);
    return heat;
  }

  scaleOf({ opened, heat }: DocumentHeat): HeatScale {
    return {
      hottest: this.#settings.scope === "capture" ? this.#hottestOf(opened) : heat.hottest,
      busy: opened.capture.totals.busy,
      minimumPercent: this.#settings.minimumPercent,
    };
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /** Of all lines that are written somewhere; the same line of several functions counts by function. */
  #hottestOf(opened: OpenCapture): number {
    const { capture } = opened;
    if (this.#hottest?.opened === opened && this.#hottest.revision === capture.revision) return this.#hottest.self;
    let self = 0;
    for (const { functions } of this.#views.placesOf(opened).all()) {
      for (const fn of functions) {
        if (capture.functionCounts(fn.index).self <= self) continue;
        for (const line of capture.functionLines(fn.index)) self = Math.max(self, line.self);
      }
    }
    this.#hottest = { opened, revision: capture.revision, self };
    return self;
  }
}
