// The view of the captures of this workspace, and of those that are open from elsewhere.

import * as vscode from "vscode";
import { count, fileSize } from "../../../contract/figures.js";
import { scanCapture } from "../capture/capture-scan.js";
import { COMMANDS, CONTEXT, VIEWS } from "../contributions.js";
import { setViewMessage } from "../messages/show-message.js";
import { fileName } from "../text/base-name.js";
import { errorText } from "../text/error-text.js";
import { CAPTURE_ENDING, stemOf } from "./capture-file.js";
import { captureFolders } from "./capture-folder.js";
import {
  filtered,
  groupedByCommit,
  groupedByTime,
  rowCount,
  type CaptureGroup,
  type Groupable,
  type Grouping,
} from "./capture-groups.js";
import { CaptureIndex } from "./capture-index.js";
import { LARGEST_LISTED_BYTES } from "./capture-limits.js";
import { listedCaptures, type ListedCapture } from "./capture-list.js";
import { captureName, joined } from "./capture-name.js";
import { newestFirst, standInUnixMs } from "./capture-order.js";
import type { CaptureServices } from "./capture-services.js";
import type { CaptureStore } from "./capture-store.js";
import {
  captureDescription,
  captureProblems,
  captureTooltip,
  summaryOf,
  summaryOfScan,
  type CaptureSummary,
} from "./capture-summary.js";
import type { ChosenBaseline } from "./chosen-baseline.js";
import { commitHistory, type HistoryCommit } from "./commit-history.js";
import { decoded } from "./open-capture.js";
import { shortCommit } from "../commits/short-commit.js";

const SETTLE_MS = 300;
/** Files that are read at a time; each is inflated on another thread. */
const AT_A_TIME = 4;
/** Rows change their groups as files are read: the view follows so often. */
const REDRAW_MS = 500;
/** Files may come and go all the time. */
const MOST_LISTINGS = 10;
const GROUPING = "extrospect.captureGrouping";

/** One row. Commands of the view get it as argument and read `uri`. */
export interface CaptureRow extends ListedCapture, Groupable {
  readonly uri: vscode.Uri;
  /** Undefined: not read yet; null: it cannot be read. */
  summary: CaptureSummary | null | undefined;
}

interface GroupNode {
  readonly group: CaptureGroup<CaptureRow>;
}

type Node = CaptureRow | GroupNode;

/** Lists files when the view is visible and reads those that the index does not know, so that a folder of captures costs nothing until looked at. */
export class CapturesView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Node | undefined>();
  readonly #view: vscode.TreeView<Node>;
  readonly #index: CaptureIndex;
  readonly #subscriptions: vscode.Disposable[] = [];
  #watchers: vscode.Disposable[] = [];
  #rows: CaptureRow[] = [];
  #history: readonly HistoryCommit[] = [];
  #filter = "";
  #drawnOn = new Date().toDateString();
  #listing = 0;
  #settling: NodeJS.Timeout | undefined;

  readonly onDidChangeTreeData = this.#changed.event;

  private readonly context: vscode.ExtensionContext;
  private readonly captures: CaptureStore;
  private readonly log: vscode.LogOutputChannel;
  private readonly baseline: ChosenBaseline;

  constructor({ context, captures, log, baseline }: CaptureServices) {
    this.context = context;
    this.captures = captures;
    this.log = log;
    this.baseline = baseline;
    this.#index = new CaptureIndex(vscode.Uri.joinPath(context.globalStorageUri, "capture-index.json").fsPath);
    this.#view = vscode.window.createTreeView(VIEWS.captures, { treeDataProvider: this, canSelectMany: true });
    const settings = vscode.workspace.onDidChangeConfiguration((change) => {
      if (!change.affectsConfiguration("extrospect.capture.folder")) return;
      this.#watch();
      this.#soon();
    });
    this.#subscriptions.push(
      this.#changed,
      this.#view,
      settings,
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (visible) void this.refresh();
      }),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.#redrawOnAnotherDay();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.#watch();
        this.#soon();
      }),
      captures.onDidChangeCurrent(() => {
        this.#soon();
      }),
      captures.onDidClose(() => {
        this.#soon();
      }),
      baseline.onDidChange(() => {
        this.#changed.fire(undefined);
      }),
      captures.onDidUpdate(({ uri, live }) => {
        if (!live) this.#soon();
        else this.#redraw(uri);
      }),
    );
    this.#watch();
    if (this.#view.visible) void this.refresh();
  }

  get filter(): string {
    return this.#filter;
  }

  /** Shows only what the words of the filter occur in; empty shows all. */
  setFilter(filter: string): void {
    this.#filter = filter.trim();
    void vscode.commands.executeCommand("setContext", CONTEXT.capturesFiltered, this.#filter !== "");
    this.#redrawAll();
  }

  get grouping(): Grouping {
    return this.context.workspaceState.get(GROUPING) === "commit" ? "commit" : "time";
  }

  async setGrouping(grouping: Grouping): Promise<void> {
    await this.context.workspaceState.update(GROUPING, grouping);
    await this.refresh();
  }

  /** What the filter lets through, the newest first; all of it is read. */
  async shownRows(): Promise<readonly CaptureRow[]> {
    await this.#list(() => false);
    return this.#filtered();
  }

  /** All rows, the newest first; all of them are read. */
  async allRows(): Promise<readonly CaptureRow[]> {
    // A later listing takes the place of one that is still being read.
    for (let tries = 0; tries < MOST_LISTINGS && !(await this.#list(() => false)); tries++);
    return this.#rows;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return "group" in node ? this.#groupItem(node.group) : this.#rowItem(node);
  }

  getChildren(parent?: Node): Node[] {
    if (parent === undefined) return this.#topNodes();
    if (!("group" in parent)) return [];
    return [...parent.group.groups.map((group) => ({ group })), ...parent.group.rows];
  }

  /** Lists the folders again and reads new captures. */
  async refresh(): Promise<void> {
    await this.#list(() => !this.#view.visible);
  }

  dispose(): void {
    clearTimeout(this.#settling);
    for (const subscription of [...this.#subscriptions, ...this.#watchers]) subscription.dispose();
  }

  #topNodes(): Node[] {
    const rows = this.#filtered();
    if (this.grouping === "commit") {
      const history = this.#history.map(({ commit }) => commit);
      return groupedByCommit(rows, history).map((group) => ({ group }));
    }
    const { rows: flat, groups } = groupedByTime(rows);
    return [...groups.map((group) => ({ group })), ...flat];
  }

  #filtered(): readonly CaptureRow[] {
    return filtered(this.#rows, this.#filter);
  }

  #groupItem(group: CaptureGroup<CaptureRow>): vscode.TreeItem {
    const l10n = vscode.l10n;
    const item = new vscode.TreeItem(
      "",
      this.#filter === "" && group.kind === "month"
        ? vscode.TreeItemCollapsibleState.Collapsed
        : vscode.TreeItemCollapsibleState.Expanded,
    );
    const subject =
      group.kind === "commit" ? (this.#history.find(({ commit }) => commit === group.name)?.subject ?? "") : "";
    item.label = this.#groupLabel(group);
    item.id = `group ${group.id}`;
    item.contextValue = `group.${group.kind}`;
    item.iconPath = new vscode.ThemeIcon(
      { month: "calendar", branch: "git-branch", commit: "git-commit", none: "question" }[group.kind],
    );
    const some = rowCount(group);
    const captures = some === 1 ? l10n.t("1 capture") : l10n.t("{0} captures", count(some, vscode.env.language));
    item.description = [subject, captures].filter((part) => part !== "").join(" · ");
    item.tooltip = group.kind === "commit" ? [group.name, subject].join("\n") : item.label;
    item.accessibilityInformation = { label: `${item.label}, ${item.description}` };
    return item;
  }

  #groupLabel({ kind, name }: CaptureGroup<CaptureRow>): string {
    const l10n = vscode.l10n;
    if (kind === "none") return l10n.t("Without a commit");
    if (kind === "commit") return shortCommit(name);
    if (kind === "branch") return name === "" ? l10n.t("Without a branch") : name;
    const [year = 0, month = 1] = name.split("-").map(Number);
    return name === ""
      ? l10n.t("At an unknown time")
      : new Date(year, month - 1).toLocaleDateString(vscode.env.language, { year: "numeric", month: "long" });
  }

  #rowItem(row: CaptureRow): vscode.TreeItem {
    const open = this.captures.get(row.uri);
    const name = fileName(row.uri);
    const [l10n, language] = [vscode.l10n, vscode.env.language];
    const summary = open === undefined ? row.summary : summaryOf(open.capture);
    const { label, details } = captureName(name, summary, { nowUnixMs: Date.now(), language });
    const item = new vscode.TreeItem(label);
    item.id = row.uri.toString();
    item.resourceUri = row.uri;
    const isBaseline = this.baseline.is(row.uri);
    item.contextValue = rowKind(open !== undefined, isBaseline);
    const isBad = summary !== null && summary !== undefined && captureProblems(summary, l10n, language).length > 0;
    const icon =
      this.captures.withFile(row.uri)?.live === true
        ? "record"
        : summary === null
          ? "error"
          : isBad
            ? "warning"
            : isBaseline
              ? "git-compare"
              : open === this.captures.current && open !== undefined
                ? "flame"
                : summary?.isPinned === true
                  ? "pinned"
                  : "graph";
    item.iconPath = new vscode.ThemeIcon(icon);
    item.description = joined(isBaseline ? l10n.t("baseline") : "", details, factsText(row, summary));
    item.tooltip =
      summary === null || summary === undefined
        ? row.uri.fsPath
        : new vscode.MarkdownString(captureTooltip(summary, name, l10n, language));
    const pinned = summary?.isPinned === true ? l10n.t("pinned") : "";
    // Screen readers do not read tooltips, and messages about the file name it.
    const file = label === stemOf(name) ? "" : name;
    item.accessibilityInformation = { label: [label, item.description, pinned, file].filter(Boolean).join(", ") };
    item.command = { command: COMMANDS.openCapture, title: l10n.t("Open"), arguments: [row] };
    return item;
  }

  /** @returns whether no later listing has started since */
  async #list(isUnwanted: () => boolean): Promise<boolean> {
    this.#listing += 1;
    const listing = this.#listing;
    const [listed, history] = await Promise.all([
      listedCaptures(this.context, this.captures),
      this.grouping === "commit" ? commitHistory() : [],
      this.#index.load(),
    ]);
    if (listing !== this.#listing) return false;
    const rows = newestFirst(listed.map((one) => this.#row(one)));
    this.#rows = rows;
    this.#history = history;
    this.#redrawAll();
    // "No captures" is shown only once that is known.
    void vscode.commands.executeCommand("setContext", CONTEXT.capturesListed, true);
    void vscode.commands.executeCommand("setContext", CONTEXT.hasCaptures, rows.length > 0);
    await this.#readAll(rows, () => listing !== this.#listing || isUnwanted());
    await this.#index.save();
    return listing === this.#listing;
  }

  #row({ uri, stat }: ListedCapture): CaptureRow {
    const name = fileName(uri);
    const open = this.captures.get(uri);
    const began = open?.capture.facts.startedUnixMs ?? 0;
    if (stat === undefined) return { uri, name, stat, mtime: began || Infinity, summary: undefined };
    const summary = open === undefined || open.live ? this.#index.get(uri.toString(), stat) : summaryOf(open.capture);
    if (open !== undefined && !open.live && summary !== undefined) this.#index.set(uri.toString(), stat, summary);
    const isBegun = open?.live === true && began > 0;
    const mtime = isBegun ? began : standInUnixMs(name, this.#index.startOf(uri.toString()), stat.mtime);
    return { uri, name, stat, mtime, summary };
  }

  async #readAll(rows: readonly CaptureRow[], isOver: () => boolean): Promise<void> {
    const waiting = rows.filter(
      ({ summary, stat, uri }) =>
        summary === undefined && stat !== undefined && this.captures.withFile(uri)?.live !== true,
    );
    if (waiting.length === 0) return;
    let drawnMs = performance.now();
    const next = waiting.values();
    const work = async () => {
      for (const row of next) {
        if (isOver()) return;
        await this.#read(row);
        if (performance.now() - drawnMs < REDRAW_MS) continue;
        drawnMs = performance.now();
        this.#redrawAll();
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    this.#redrawAll();
  }

  async #read(row: CaptureRow): Promise<void> {
    if (row.stat === undefined) return;
    try {
      const scanned = row.uri.scheme === "file" ? summaryOfScan(await scanCapture(row.uri.fsPath)) : undefined;
      if (scanned === undefined && row.stat.size > LARGEST_LISTED_BYTES) return;
      row.summary = scanned ?? summaryOf(await decoded(row.uri));
    } catch (error) {
      row.summary = null;
      this.log.debug(errorText(error));
    }
    this.#index.set(row.uri.toString(), row.stat, row.summary);
  }

  #redraw(uri: vscode.Uri): void {
    if (!this.#view.visible) return;
    const row = this.#rows.find((candidate) => candidate.uri.toString() === uri.toString());
    if (row !== undefined) this.#changed.fire(row);
  }

  #redrawAll(): void {
    // Files that were read since then have a start now.
    this.#rows = newestFirst(this.#rows);
    const l10n = vscode.l10n;
    const [shown, all] = [this.#filter === "" ? 0 : this.#filtered().length, this.#rows.length].map((number) =>
      count(number, vscode.env.language),
    );
    setViewMessage(
      this.#view,
      this.#filter === "" ? "" : l10n.t("{0} of {1} captures with “{2}”", shown ?? "", all ?? "", this.#filter),
    );
    this.#changed.fire(undefined);
  }

  /** A window that stays open overnight has yesterday's captures without their date. */
  #redrawOnAnotherDay(): void {
    const today = new Date().toDateString();
    if (today === this.#drawnOn) return;
    this.#drawnOn = today;
    this.#changed.fire(undefined);
  }

  /** Files change in bursts. */
  #soon(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      if (this.#view.visible) void this.refresh();
    }, SETTLE_MS);
  }

  #watch(): void {
    for (const watcher of this.#watchers) watcher.dispose();
    this.#watchers = captureFolders(this.context).map((folder) => {
      const watcher = vscode.workspace.createFileSystemWatcher(
        new vscode.RelativePattern(folder, `*${CAPTURE_ENDING}`),
      );
      const changed = (uri: vscode.Uri) => {
        // A running capture grows once a second; its row is redrawn as it does.
        if (this.captures.withFile(uri)?.live !== true) this.#soon();
      };
      return vscode.Disposable.from(
        watcher,
        watcher.onDidCreate(changed),
        watcher.onDidChange(changed),
        watcher.onDidDelete(changed),
      );
    });
  }
}

/** The facts beside the name. */
function factsText({ stat }: CaptureRow, summary: CaptureRow["summary"]): string {
  const { l10n, env } = vscode;
  if (summary === null) return l10n.t("cannot be read");
  if (summary !== undefined) return captureDescription(summary, l10n, env.language);
  return stat === undefined ? "" : fileSize(stat.size, env.language);
}

/** The kind of a row, which selects its menus. */
function rowKind(isOpen: boolean, isBaseline: boolean): string {
  if (isBaseline) return isOpen ? "captureOpenBaseline" : "captureBaseline";
  return isOpen ? "captureOpen" : "capture";
}
