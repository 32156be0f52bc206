// The view of the captures of this workspace, and of those that are open from elsewhere.

import * as vscode from "vscode";
import { fileSize } from "../../../contract/figures.js";
import { plainText } from "../../../contract/plain-text.js";
import { COMMANDS, CONTEXT, VIEWS } from "../contributions.js";
import { fileName } from "../text/base-name.js";
import { errorText } from "../text/error-text.js";
import { CAPTURE_ENDING } from "./capture-file.js";
import { captureFolders } from "./capture-folder.js";
import { LARGEST_LISTED_BYTES } from "./capture-limits.js";
import { listedCaptures, type ListedCapture } from "./capture-list.js";
import type { CaptureStore } from "./capture-store.js";
import { captureDescription, captureProblems, captureTooltip, summaryOf, type CaptureSummary } from "./capture-summary.js";
import { decoded } from "./open-capture.js";
import { SummaryCache } from "./summary-cache.js";

const SETTLE_MS = 300;

/** One row. Commands of the view get it as argument and read `uri`. */
export interface CaptureRow extends ListedCapture {
  /** Undefined: not read yet; null: it cannot be read. */
  summary: CaptureSummary | null | undefined;
}

/** Lists files when the view is visible and reads them one after the other, so that a folder of captures costs nothing until looked at. */
export class CapturesView implements vscode.TreeDataProvider<CaptureRow>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<CaptureRow | undefined>();
  readonly #view: vscode.TreeView<CaptureRow>;
  readonly #cache: SummaryCache;
  readonly #subscriptions: vscode.Disposable[] = [];
  #watchers: vscode.Disposable[] = [];
  #rows: CaptureRow[] = [];
  #listing = 0;
  #settling: NodeJS.Timeout | undefined;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly captures: CaptureStore,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#cache = new SummaryCache(context.workspaceState);
    this.#view = vscode.window.createTreeView(VIEWS.captures, { treeDataProvider: this });
    const settings = vscode.workspace.onDidChangeConfiguration((change) => {
      if (!change.affectsConfiguration("extrospect.capture.folder")) return;
      this.#watch();
      this.#soon();
    });
    this.#subscriptions.push(
      this.#changed,
      this.#view,
      settings,
      this.#view.onDidChangeVisibility(({ visible }) => { if (visible) void this.refresh(); }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => { this.#watch(); this.#soon(); }),
      captures.onDidChangeCurrent(() => { this.#soon(); }),
      captures.onDidClose(() => { this.#soon(); }),
      captures.onDidUpdate(({ uri, live }) => {
        if (!live) this.#soon();
        else this.#redraw(uri);
      }),
    );
    this.#watch();
    if (this.#view.visible) void this.refresh();
  }

  getTreeItem(row: CaptureRow): vscode.TreeItem {
    const open = this.captures.get(row.uri);
    const name = fileName(row.uri);
    const item = new vscode.TreeItem(plainText(name.endsWith(CAPTURE_ENDING) ? name.slice(0, -CAPTURE_ENDING.length) : name, 120));
    const [l10n, language] = [vscode.l10n, vscode.env.language];
    const summary = open === undefined ? row.summary : summaryOf(open.capture);
    item.id = row.uri.toString();
    item.resourceUri = row.uri;
    item.contextValue = open === undefined ? "capture" : "captureOpen";
    const isBad = summary !== null && summary !== undefined && captureProblems(summary, l10n, language).length > 0;
    item.iconPath = new vscode.ThemeIcon(
      open?.live === true ? "record" : summary === null ? "error" : isBad ? "warning" : open === this.captures.current && open !== undefined ? "flame" : "graph",
    );
    if (summary === null) item.description = l10n.t("cannot be read");
    else if (summary !== undefined) item.description = captureDescription(summary, l10n, language);
    else if (row.stat !== undefined) item.description = fileSize(row.stat.size, vscode.env.language);
    item.tooltip = summary === null || summary === undefined ? row.uri.fsPath : new vscode.MarkdownString(captureTooltip(summary, name, l10n, language));
    item.accessibilityInformation = { label: [item.label as string, item.description].filter(Boolean).join(", ") };
    item.command = { command: COMMANDS.openCapture, title: l10n.t("Open"), arguments: [row] };
    return item;
  }

  getChildren(parent?: CaptureRow): CaptureRow[] {
    return parent === undefined ? [...this.#rows] : [];
  }

  /** Needed by `reveal`. */
  getParent(): undefined {
    return undefined;
  }

  /** Lists the folders again and reads what is new. */
  async refresh(): Promise<void> {
    this.#listing += 1;
    const listing = this.#listing;
    const listed = await listedCaptures(this.context, this.captures);
    if (listing !== this.#listing) return;
    const rows = listed.map((one) => this.#row(one));
    this.#rows = rows;
    this.#changed.fire(undefined);
    // "No captures" is shown only once that is known.
    void vscode.commands.executeCommand("setContext", CONTEXT.capturesListed, true);
    await this.#readAll(rows, () => listing !== this.#listing || !this.#view.visible);
    await this.#cache.save();
  }

  dispose(): void {
    clearTimeout(this.#settling);
    for (const subscription of [...this.#subscriptions, ...this.#watchers]) subscription.dispose();
  }

  #row({ uri, stat }: ListedCapture): CaptureRow {
    if (stat === undefined) return { uri, stat, summary: undefined };
    const open = this.captures.get(uri);
    if (open !== undefined && !open.live) this.#cache.set(uri, stat, summaryOf(open.capture));
    return { uri, stat, summary: this.#cache.get(uri, stat) };
  }

  async #readAll(rows: readonly CaptureRow[], isOver: () => boolean): Promise<void> {
    for (const row of rows) {
      if (isOver()) return;
      if (row.summary !== undefined || row.stat === undefined || row.stat.size > LARGEST_LISTED_BYTES || this.captures.get(row.uri) !== undefined) continue;
      try {
        row.summary = summaryOf(await decoded(row.uri));
      } catch (error) {
        row.summary = null;
        this.log.debug(errorText(error));
      }
      this.#cache.set(row.uri, row.stat, row.summary);
      this.#changed.fire(row);
      // Others want the extension host too.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  #redraw(uri: vscode.Uri): void {
    if (!this.#view.visible) return;
    const row = this.#rows.find((candidate) => candidate.uri.toString() === uri.toString());
    if (row !== undefined) this.#changed.fire(row);
  }

  /** Files change in bursts. */
  #soon(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => { if (this.#view.visible) void this.refresh(); }, SETTLE_MS);
  }

  #watch(): void {
    for (const watcher of this.#watchers) watcher.dispose();
    this.#watchers = captureFolders(this.context).map((folder) => {
      const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, `*${CAPTURE_ENDING}`));
      const changed = (uri: vscode.Uri) => {
        // A running capture grows once a second; its row is redrawn as it does.
        if (this.captures.get(uri)?.live !== true) this.#soon();
      };
      return vscode.Disposable.from(watcher, watcher.onDidCreate(changed), watcher.onDidChange(changed), watcher.onDidDelete(changed));
    });
  }
}
