// Says once per file, in the language status, how the file and the capture have drifted apart.

import * as vscode from "vscode";
import type { DocumentHeats } from "./document-heats.js";
import type { Figures } from "./figures.js";
import { SOURCE_GLOB } from "../sources/module-file.js";

export class DriftStatus implements vscode.Disposable {
  readonly #heats: DocumentHeats;
  readonly #figures: Figures;
  #item: vscode.LanguageStatusItem | undefined;

  constructor(heats: DocumentHeats, figures: Figures) {
    this.#heats = heats;
    this.#figures = figures;
  }

  async refresh(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const found = document === undefined ? undefined : await this.#heats.of(document);
    if (document === undefined || found === undefined) {
      this.dispose();
      return;
    }
    const { drift } = found.heat;
    const count = (value: number): string => this.#figures.count(value);
    const moved = drift.changed + drift.gone;
    const item = (this.#item ??= vscode.languages.createLanguageStatusItem("extrospect.drift", { scheme: "file", pattern: SOURCE_GLOB }));
    item.name = vscode.l10n.t("Extrospect");
    if (found.view.baseline === undefined) {
      item.text = vscode.l10n.t("Differs from what the VM runs");
      item.detail = vscode.l10n.t("no known text of this file has its functions where the VM says; lines are estimated");
      item.severity = vscode.LanguageStatusSeverity.Warning;
    } else if (moved > 0) {
      item.text = vscode.l10n.t("{0} of {1} hot lines changed since this capture", count(moved), count(drift.lines));
      item.detail = drift.gone > 0 ? vscode.l10n.t("{0} are gone and count for their functions only", count(drift.gone)) : "";
      item.severity = vscode.LanguageStatusSeverity.Warning;
    } else {
      item.text = vscode.l10n.t("{0} hot lines, unchanged since this capture", count(drift.lines));
      item.detail = found.opened.title;
      item.severity = vscode.LanguageStatusSeverity.Information;
    }
  }

  dispose(): void {
    this.#item?.dispose();
    this.#item = undefined;
  }
}
