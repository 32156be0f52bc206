// Opens what a capture names.

import * as vscode from "vscode";
import { bounded } from "../../../contract/bounded.js";
import { LONGEST_SHOWN_NAME, shownName } from "../../../contract/plain-text.js";
import type { FunctionFacts } from "../capture/questions.js";
import type { CaptureStore, OpenCapture } from "../captures/capture-store.js";
import { showInformationMessage, showStatusBarMessage } from "../messages/show-message.js";
import { BaselineStore } from "./drift/baseline-store.js";
import { placeOf, type ModulePlace } from "./finding/module-file.js";
import { SourceFinder } from "./finding/source-finder.js";
import { SourcePicks } from "./finding/source-picks.js";
import { askForFile, askWhichFile } from "./finding/source-questions.js";
import { DocumentViews } from "./mapping/document-views.js";
import { WorkspaceSources } from "./finding/workspace-sources.js";
import { OwnCode } from "./own-code.js";
import { SourceRules } from "./rules/source-rules.js";
import type { CodeOrigin, FolderThen, SourceNavigator } from "./source-navigator.js";

export class Sources implements SourceNavigator, vscode.Disposable {
  readonly finder: SourceFinder;
  readonly views: DocumentViews;
  readonly ownCode: OwnCode;
  readonly #files = new WorkspaceSources();
  readonly rules: SourceRules;
  readonly #picks: SourcePicks;

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, captures: CaptureStore) {
    this.#picks = new SourcePicks(context.workspaceState);
    this.rules = new SourceRules(context.workspaceState);
    this.finder = new SourceFinder(this.#picks, this.rules, (opened, place) => this.views.headsOf(opened, place));
    this.views = new DocumentViews(this.finder, new BaselineStore(context.storageUri, log), captures);
    this.ownCode = new OwnCode(captures, this.views, this.#files, this.rules, log);
  }

  originOf(opened: OpenCapture, functionIndex: number): CodeOrigin | undefined {
    return this.ownCode.originOf(opened, functionIndex);
  }

  findOwnCode(opened: OpenCapture): Promise<void> {
    return this.ownCode.mark(opened);
  }

  ownCodeThen(opened: OpenCapture, folders: readonly FolderThen[]): Promise<readonly number[]> {
    return this.ownCode.functionsThen(opened, folders);
  }

  async filesOf(opened: OpenCapture): Promise<readonly vscode.Uri[]> {
    await this.ownCode.mark(opened);
    const own = this.views
      .placesOf(opened)
      .all()
      .filter(({ functions }) => functions.some(({ index }) => this.originOf(opened, index)?.kind === "own"));
    const files: vscode.Uri[] = [];
    // One after the other: each may read texts to distinguish files of one name.
    for (const { place } of own) {
      const { file } = await this.finder.find(place, opened);
      if (file !== undefined) files.push(file);
    }
    return files;
  }

  ruledFiles(reported: string): readonly string[] | undefined {
    return this.rules.filesFor(reported);
  }

  async open(fn: FunctionFacts, line: number, opened: OpenCapture | undefined): Promise<void> {
    const place = placeOf(fn);
    if (place === undefined) {
      void showInformationMessage(noSourceText(fn));
      return;
    }
    const file = await this.#fileOf(place, opened);
    if (file !== undefined) await this.#show(file, fn, line, opened);
  }

  /** Opens a file at a line of today's text. */
  async showLine(file: vscode.Uri, line: number): Promise<void> {
    const document = await vscode.workspace.openTextDocument(file);
    const at = document.lineAt(bounded(line - 1, 0, document.lineCount - 1));
    const column = columnFor(file);
    const editor = await vscode.window.showTextDocument(document, {
      ...(column === undefined ? {} : { viewColumn: column }),
      preserveFocus: false,
    });
    const start = at.range.start.translate(0, at.firstNonWhitespaceCharacterIndex);
    editor.selection = new vscode.Selection(start, start);
    editor.revealRange(at.range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  async forget(): Promise<void> {
    const count = await this.#picks.forget();
    const rules = await this.rules.forgetAll();
    this.finder.forget();
    void showInformationMessage(
      count + rules === 0
        ? vscode.l10n.t("No source files had been picked.")
        : vscode.l10n.t(
            "Forgot {0} picked source files and {1} rules learned from them. Files are searched for again.",
            count,
            rules,
          ),
    );
  }

  dispose(): void {
    this.ownCode.dispose();
    this.#files.dispose();
    this.views.dispose();
    this.finder.dispose();
    this.rules.dispose();
  }

  async #fileOf(place: ModulePlace, opened: OpenCapture | undefined): Promise<vscode.Uri | undefined> {
    const { file, ambiguous, rule } = await this.finder.find(place, opened);
    if (file !== undefined) return file;
    const picked = ambiguous.length > 0 ? await askWhichFile(place, ambiguous, rule) : await askForFile(place, rule);
    if (picked === undefined) return undefined;
    const learned = await this.finder.remember(place, opened, picked);
    if (learned !== undefined) {
      const [from, to] = [learned.prefix, learned.folder].map((folder) => shownName(folder, LONGEST_SHOWN_NAME));
      showStatusBarMessage(
        vscode.l10n.t(
          "Other files below {0} are searched for in {1} from now on (Source Path Rules…).",
          from ?? "",
          to ?? "",
        ),
        8_000,
        "lightbulb",
      );
    }
    return picked;
  }

  async #show(file: vscode.Uri, fn: FunctionFacts, line: number, opened: OpenCapture | undefined): Promise<void> {
    const document = await vscode.workspace.openTextDocument(file);
    const view = opened === undefined ? undefined : await this.views.view(opened, document);
    const placed = view?.functions.find((each) => opened?.capture.functions[each.index]?.rawName === fn.rawName);
    if (view === undefined || placed === undefined) {
      await this.showLine(file, line > 0 ? line : Math.max(fn.headLine, 1));
      return;
    }
    const mapped = view.map(placed, line);
    if (mapped.state !== "gone") {
      await this.showLine(file, mapped.line);
      return;
    }
    const head = view.headLine(placed);
    await this.showLine(file, head > 0 ? head : 1);
    if (line > 0) {
      showStatusBarMessage(
        head > 0
          ? vscode.l10n.t("Line {0} of the capture is gone; this is its function.", line)
          : vscode.l10n.t("{0} is no longer in this file.", shownName(fn.name, LONGEST_SHOWN_NAME)),
        8_000,
        "info",
      );
    }
  }
}

function noSourceText({ name, kind }: FunctionFacts): string {
  const shown = shownName(name, LONGEST_SHOWN_NAME);
  if (kind !== "native" && kind !== "nif")
    return vscode.l10n.t(
      "{0} has no Erlang or Elixir source: it is code of the runtime, a library or the kernel.",
      shown,
    );
  return vscode.l10n.t(
    "The source lines of {0} are unknown: its code has no debug information. Compile it with -g, install the debug symbols of its package, or let Extrospect fetch them (setting extrospect.debuginfod.fetch); then record again.",
    shown,
  );
}

/** Beside a panel rather than over it: where the file is shown already, else where any text is shown. */
function columnFor(file: vscode.Uri): vscode.ViewColumn | undefined {
  const visible = vscode.window.visibleTextEditors.filter((editor) => editor.viewColumn !== undefined);
  const same = visible.find((editor) => editor.document.uri.toString() === file.toString());
  if (same !== undefined) return same.viewColumn;
  if (!(vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputWebview)) return undefined;
  return visible[0]?.viewColumn ?? vscode.ViewColumn.Beside;
}
