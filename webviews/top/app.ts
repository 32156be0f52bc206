// Puts the top table together: messages of the extension host in, the user's actions out.

import type { Attribution } from "../../contract/capture-answers.js";
import { FRAME_KINDS, type FlameData } from "../../contract/flame-data.js";
import type { Sorting } from "../../contract/messages/sorting.js";
import {
  TOP_TABS,
  type SavedState,
  type ToHost,
  type TopRows,
  type TopTab,
  type TopTree,
  type ToWebview,
} from "../../contract/messages/top.js";
import { tableAsMarkdown, tableAsText, type CopiedTable } from "../../contract/text-table.js";
import { button, checkbox, textField } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { asFilter } from "../elements/filter-text.js";
import { openMenu, type MenuItem } from "../elements/menu.js";
import { singleSelect } from "../elements/single-select.js";
import { Tabs } from "../elements/tabs.js";
import { kindOf, nameOf, sourceOf } from "../graph/shares.js";
import { StackTable, type FunctionFilter } from "../graph/stack-table.js";
import { readWidths, type ColumnWidths } from "../grid/column-fit.js";
import { VirtualGrid, type GridColumn } from "../grid/virtual-grid.js";
import { connectHost } from "../page/host.js";
import { Notice, waysOut } from "../page/notice.js";
import { KIND_WORDS } from "../words/frame-kinds.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { copiedRows } from "./copied-rows.js";
import { FunctionSource } from "./function-source.js";
import { NodeTable } from "./node-table.js";
import { STRINGS } from "./strings.js";
import { TopTable, type Shown } from "./top-table.js";

/** The name has the room. A narrow view leaves out the kind first, which the colour of a row shows, then counts, which the percents show. */
const COLUMNS: readonly GridColumn[] = [
  {
    id: "name",
    ...STRINGS.columns.name,
    numeric: false,
    sortable: true,
    track: "minmax(120px, 1fr)",
    leastPx: 120,
    wantsPx: 280,
  },
  percentColumn("own"),
  countColumn("ownSamples", 4),
  percentColumn("self", 1),
  countColumn("selfSamples", 5),
  percentColumn("total", 2),
  countColumn("totalSamples", 6),
  { id: "kind", ...STRINGS.columns.kind, numeric: false, sortable: true, track: "80px", leastPx: 80, leftOut: 7 },
  { id: "place", ...STRINGS.columns.place, numeric: false, sortable: true, track: "150px", leastPx: 110, leftOut: 3 },
];
/** They have a meaning only where code is known to be the user's own. */
const OWN_COLUMNS = new Set(["own", "ownSamples"]);
const NO_COLUMNS = new Set<string>();
const TEXT_COLUMNS = new Set(["name", "kind", "place"]);
const SAVE_PAUSE_MS = 200;

function percentColumn(id: "own" | "self" | "total", leftOut?: number): GridColumn {
  const column = { id, ...STRINGS.columns[id], numeric: true, sortable: true, track: "96px", leastPx: 96 };
  return leftOut === undefined ? column : { ...column, leftOut };
}

function countColumn(id: "ownSamples" | "selfSamples" | "totalSamples", leftOut: number): GridColumn {
  return { id, ...STRINGS.columns[id], numeric: true, sortable: true, track: "80px", leastPx: 80, leftOut };
}

export class TopApp {
  readonly #host = connectHost<ToWebview, ToHost, SavedState>((message) => this.#receive(message));
  readonly #notice = new Notice(STRINGS.title);
  readonly #table = new TopTable();
  readonly #title = element("p", { class: "quiet" });
  readonly #status = element("p", { class: "quiet status", role: "status" });
  readonly #noMatch = element("p", { class: "quiet", hidden: true }, STRINGS.noMatch);
  readonly #onlyErlang = asFilter(checkbox(STRINGS.onlyErlang, STRINGS.onlyErlangHelp, () => this.#changeView()));
  readonly #ofBusy = checkbox(STRINGS.ofBusy, STRINGS.ofBusyHelp, () => this.#changeView());
  readonly #withAddresses = checkbox(STRINGS.withAddresses, STRINGS.withAddressesHelp, () => this.#changeView());
  readonly #grouped = checkbox(STRINGS.grouped, STRINGS.groupedHelp, () => this.#arrange());
  readonly #copy = button(STRINGS.copyMenu, STRINGS.copyHelp, () => this.#chooseCopy());
  readonly #nodes = new NodeTable((node) => this.#changeView(node));
  readonly #filterInput;
  readonly #kindSelect;
  readonly #grid: VirtualGrid;
  readonly #stacks: StackTable;
  readonly #treePanel = element("div", { class: "tab-panel" });
  readonly #tabs: Tabs<TopTab>;
  readonly #body: HTMLElement;
  #rows: TopRows | null = null;
  #sorting: Sorting = { columnId: "own", descending: true };
  #attribution: Attribution | undefined;
  #toggled = new Set<string>();
  #filter = "";
  #kind = "";
  #selected = "";
  #scrollTop = 0;
  #widths: ColumnWidths = {};
  #tab: TopTab = "functions";
  #tree: TopTree | null = null;
  #treeWidths: ColumnWidths = {};
  #saveTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement) {
    const saved = this.#host.saved();
    if (saved.sorting && COLUMNS.some(({ id }) => id === saved.sorting?.columnId))
      this.#sorting = { columnId: saved.sorting.columnId, descending: saved.sorting.descending };
    this.#filter = typeof saved.filter === "string" ? saved.filter : "";
    this.#kind = typeof saved.kind === "string" ? saved.kind : "";
    this.#selected = typeof saved.selected === "string" ? saved.selected : "";
    this.#scrollTop = typeof saved.scrollTop === "number" ? saved.scrollTop : 0;
    this.#widths = readWidths(saved.widths);
    this.#onlyErlang.checked = saved.view?.onlyErlang === true;
    this.#ofBusy.checked = saved.view?.ofBusy !== false;
    this.#withAddresses.checked = saved.view?.withAddresses === true;
    this.#grouped.checked = saved.grouped !== false;
    if (saved.sorting) this.#attribution = saved.attribution;
    if (Array.isArray(saved.toggled)) this.#toggled = new Set(saved.toggled.filter((key) => typeof key === "string"));
    this.#filterInput = asFilter(
      textField(STRINGS.filter, STRINGS.filter, (value) => {
        this.#filter = value;
        this.#arrange();
      }),
    );
    this.#filterInput.value = this.#filter;
    this.#kindSelect = asFilter(
      singleSelect(
        STRINGS.kind,
        [["", STRINGS.allKinds], ...FRAME_KINDS.map((name) => [name, KIND_WORDS[name]] as const)],
        this.#kind,
        (value) => {
          this.#kind = value;
          this.#arrange();
        },
      ),
    );
    this.#grid = new VirtualGrid(STRINGS.grid, "treegrid", COLUMNS, {
      activate: (index) => this.#activate(index),
      toggle: (index) => this.#toggle(index),
      selected: (key) => {
        this.#selected = key;
        this.#share(this.#table.positionOf(key));
        this.#saveSoon();
      },
      sort: (columnId) => this.#sort(columnId),
      menu: (index, x, y) => this.#menu(index, x, y),
      key: (event, index) => this.#key(event, index),
      resized: (widths) => {
        this.#widths = widths;
        this.#saveSoon();
      },
    });
    this.#grid.setWidths(this.#widths);
    this.#tab = TOP_TABS.find((tab) => tab === saved.tab) ?? "functions";
    this.#treeWidths = readWidths(saved.treeWidths);
    this.#stacks = this.#stackTable(readPath(saved.treePath));
    this.#stacks.grid.setWidths(this.#treeWidths);
    this.#grid.element.addEventListener("scroll", () => this.#saveSoon(), { passive: true });
    const tools = element(
      "div",
      { class: "line tools" },
      this.#filterInput,
      this.#kindSelect,
      this.#grouped,
      this.#onlyErlang,
      this.#ofBusy,
      this.#withAddresses,
      this.#status,
    );
    const functions = element("div", { class: "tab-panel" }, this.#grid.element);
    this.#tabs = new Tabs(
      STRINGS.tabList,
      [
        { id: "functions", label: STRINGS.tabs.functions, content: functions },
        { id: "tree", label: STRINGS.tabs.tree, content: this.#treePanel },
      ],
      (tab) => this.#choose(tab),
    );
    this.#body = element(
      "div",
      { class: "body", hidden: true },
      element(
        "header",
        { class: "line" },
        element("h1", { class: "unseen" }, STRINGS.title),
        this.#title,
        element("span", { class: "copies" }, this.#copy),
      ),
      element(
        "main",
        { class: "body-main" },
        this.#nodes.element,
        this.#tabs.element,
        tools,
        this.#noMatch,
        functions,
        this.#treePanel,
      ),
    );
    this.#showTab();
    root.append(this.#notice.element, this.#body);
    this.#notice.say(SHARED_STRINGS.loading);
    this.#host.send({ type: "ready", saved });
  }

  #receive(message: ToWebview): void {
    switch (message.type) {
      case "functions":
        return this.#table.addFunctions(message);
      case "tree":
        this.#tree = message;
        this.#stacks.setData(message.data, this.#treeFilter, this.#rows?.minimumSamples ?? 0);
        return this.#showFacts();
      case "reveal":
        return this.#reveal(message.functionIndex);
      case "mark":
        return this.#mark(message.functionIndex);
      case "empty": {
        this.#body.hidden = true;
        return this.#notice.say(
          message.text,
          waysOut(message.actions, (request) => this.#host.send(request)),
        );
      }
      case "rows": {
        const isFirst = this.#rows === null;
        // A selection names a function of one capture.
        if (this.#rows && this.#rows.uri !== message.uri) {
          this.#selected = "";
          this.#tree = null;
          this.#stacks.forget();
        }
        this.#rows = message;
        this.#notice.hide();
        this.#body.hidden = false;
        this.#title.replaceChildren(nameText(message.title), message.live ? ` · ${SHARED_STRINGS.live}` : "");
        this.#onlyErlang.checked = message.view.onlyErlang;
        this.#ofBusy.checked = message.view.ofBusy;
        this.#withAddresses.checked = message.view.withAddresses;
        this.#nodes.show(message.nodes, message.view.node, message.view.ofBusy ? "busy" : "all");
        this.#goBy(message.attribution);
        this.#table.setRows(message, this.#shown);
        this.#show();
        if (isFirst && this.#scrollTop > 0) this.#grid.element.scrollTop = this.#scrollTop;
      }
    }
  }

  #choose(tab: TopTab): void {
    this.#tab = tab;
    this.#showTab();
    this.#show();
    this.#host.send({ type: "tab", tab });
    this.#saveSoon();
  }

  #showTab(): void {
    if (this.#tab === "tree") this.#treePanel.append(this.#stacks.grid.element);
    this.#tabs.show(this.#tab);
  }

  #reveal(functionIndex: number): void {
    if (this.#tab !== "functions") this.#choose("functions");
    const key = this.#table.keyOfFunction(functionIndex);
    if (this.#table.positionOf(key) < 0) {
      this.#filter = this.#filterInput.value = "";
      this.#kind = this.#kindSelect.value = "";
      this.#arrange();
    }
    const group = this.#table.groupKeyOf(key);
    if (this.#table.positionOf(key) < 0 && group !== undefined) {
      this.#turnOver(group);
      this.#arrange();
    }
    const position = this.#table.positionOf(key);
    if (position < 0) return;
    this.#grid.select(position);
    // A field that loses the focus before it has drawn its new text takes the old one back.
    void this.#filterInput.updateComplete.then(() => this.#grid.element.focus({ preventScroll: true }));
  }

  /** The row of a function that another view has selected. Where it is not shown, the selection stays. */
  #mark(functionIndex: number): void {
    const key = this.#table.keyOfFunction(functionIndex);
    const position = this.#table.positionOf(key);
    if (position >= 0 && key !== this.#selected) this.#grid.select(position);
  }

  /** The other views mark the function of a row. */
  #share(position: number): void {
    if (position < 0 || this.#table.groupAt(position) !== undefined) return;
    this.#send(this.#functionAt(position));
  }

  #send(functionIndex: number): void {
    if (functionIndex >= 0) this.#host.send({ type: "selected", functionIndex });
  }

  #arrange(): void {
    this.#table.arrange(this.#shown);
    this.#stacks.setFilter(this.#treeFilter);
    this.#show();
    this.#saveSoon();
  }

  /** The functions that the table shows, too. */
  get #treeFilter(): FunctionFilter | null {
    const data = this.#tree?.data;
    const wanted = this.#filter.trim().toLowerCase();
    const wantedKind = FRAME_KINDS.findIndex((kind) => kind === this.#kind);
    if (data === undefined || (wanted === "" && wantedKind < 0)) return null;
    return (index) =>
      (wantedKind < 0 || data.functionKinds[index] === wantedKind) &&
      (data.functionNames[index] ?? "").toLowerCase().includes(wanted);
  }

  #show(): void {
    const rows = this.#rows;
    if (!rows) return;
    this.#grid.hideColumns(this.#hasOwnCode ? NO_COLUMNS : OWN_COLUMNS);
    this.#grid.showSorting(this.#visibleSorting);
    if (this.#selected === "" && this.#table.length > 0) this.#selected = this.#table.gridRow(0).key;
    this.#grid.setSource(new FunctionSource(this.#table, rows), this.#selected);
    this.#showFacts();
  }

  /** Everything beside the table and the tree. */
  #showFacts(): void {
    const rows = this.#rows;
    if (!rows) return;
    const isTree = this.#tab === "tree";
    // Calls are in no groups, and each unnamed function is a call of its own.
    this.#grouped.hidden = isTree || !this.#hasOwnCode;
    this.#copy.hidden = isTree;
    this.#withAddresses.hidden = isTree || (!rows.view.withAddresses && !this.#table.hasUnnamedCode);
    const [matching, all] = isTree ? this.#stacks.functionCounts : [this.#table.matchingCount, this.#table.rowCount];
    this.#noMatch.hidden = matching > 0 || (isTree && this.#tree === null);
    const status = statusOf(rows, matching, all);
    if (this.#status.textContent !== status) this.#status.textContent = status;
  }

  #sort(columnId: string): void {
    const { columnId: before, descending } = this.#visibleSorting;
    this.#sorting = { columnId, descending: before === columnId ? !descending : !TEXT_COLUMNS.has(columnId) };
    this.#arrange();
    this.#grid.element.scrollTop = 0;
  }

  /** Without own code, the order by it is that by self. */
  get #visibleSorting(): Sorting {
    const { columnId, descending } = this.#sorting;
    if (this.#hasOwnCode || !OWN_COLUMNS.has(columnId)) return this.#sorting;
    return { columnId: columnId === "own" ? "self" : "selfSamples", descending };
  }

  #changeView(node = this.#rows?.view.node ?? ""): void {
    const view = {
      node,
      onlyErlang: this.#onlyErlang.checked,
      ofBusy: this.#ofBusy.checked,
      withAddresses: this.#withAddresses.checked,
    };
    this.#host.send({ type: "view", view });
  }

  /** Groups separate own code from the rest: without any own code there is nothing to separate. */
  get #hasOwnCode(): boolean {
    return this.#rows?.groups.some(({ kind }) => kind === "own") ?? false;
  }

  get #shown(): Shown {
    return {
      sorting: this.#sorting,
      filter: this.#filter,
      kind: this.#kind,
      isGrouped: this.#grouped.checked && this.#hasOwnCode,
      toggled: this.#toggled,
    };
  }

  /** The order follows the attribution of the views, until a column is chosen. */
  #goBy(attribution: Attribution): void {
    if (attribution === this.#attribution) return;
    this.#attribution = attribution;
    this.#sorting = { columnId: attribution, descending: true };
  }

  #activate(position: number): void {
    if (this.#table.groupAt(position) === undefined) this.#openSource(position);
    else this.#toggle(position);
  }

  #toggle(position: number): void {
    const key = this.#table.groupAt(position)?.key;
    if (key === undefined) return;
    this.#turnOver(key);
    this.#arrange();
  }

  /** An open group is folded, and the other way round. */
  #turnOver(groupKey: string): void {
    if (!this.#toggled.delete(groupKey)) this.#toggled.add(groupKey);
  }

  #functionAt(position: number): number {
    return this.#table.functionIndex(this.#table.rowAt(position));
  }

  #openSource(position: number): void {
    const functionIndex = this.#functionAt(position);
    if (functionIndex >= 0) this.#host.send({ type: "openSource", functionIndex });
  }

  #key(event: KeyboardEvent, position: number): boolean {
    if (this.#table.groupAt(position) !== undefined) return false;
    return this.#copyByKey(event, this.#table.name(this.#table.rowAt(position)));
  }

  #stackTable(selectedPath: readonly string[]): StackTable {
    const indexOf = (data: FlameData, node: number) => this.#tree?.functionIndex[data.nodeFunction[node] ?? 0] ?? -1;
    const openSource = (data: FlameData, node: number) => {
      const functionIndex = indexOf(data, node);
      if (functionIndex >= 0) this.#host.send({ type: "openSource", functionIndex, line: sourceOf(data, node).line });
    };
    return new StackTable(STRINGS.tree, selectedPath, {
      activate: openSource,
      menu: (data, node, x, y) => {
        const functionIndex = indexOf(data, node);
        const isErlang = kindOf(data, node) === "erlang";
        openMenu(
          SHARED_STRINGS.rowMenu,
          [
            ...(functionIndex >= 0 ? this.#functionMenu(functionIndex, isErlang, () => openSource(data, node)) : []),
            this.#copyItem(nameOf(data, node)),
          ],
          x,
          y,
        );
      },
      key: (event, data, node) => this.#copyByKey(event, nameOf(data, node)),
      selected: (path) => {
        const name = path.at(-1) ?? "";
        this.#send(this.#tree?.functionIndex[this.#tree.data.functionNames.indexOf(name)] ?? -1);
        this.#saveSoon();
      },
      resized: (widths) => {
        this.#treeWidths = widths;
        this.#saveSoon();
      },
    });
  }

  #functionMenu(functionIndex: number, isErlang: boolean, openSource: () => void): MenuItem[] {
    return [
      { label: SHARED_STRINGS.openSource, keys: "Enter", run: openSource },
      { label: SHARED_STRINGS.flameGraph, keys: "", run: () => this.#host.send({ type: "flameGraph", functionIndex }) },
      {
        label: isErlang ? STRINGS.blameErlang : STRINGS.blameNative,
        keys: "",
        run: () => this.#host.send({ type: "blame", functionIndex }),
      },
    ];
  }

  #chooseCopy(): void {
    const { left, bottom } = this.#copy.getBoundingClientRect();
    const items: MenuItem[] = [
      { label: STRINGS.copyMarkdown, keys: "", run: () => this.#copyTable(tableAsMarkdown) },
      { label: STRINGS.copyText, keys: "", run: () => this.#copyTable(tableAsText) },
    ];
    openMenu(STRINGS.copyHelp, items, left, bottom);
  }

  /** The rows as they are filtered, sorted and folded, also those that are scrolled out of sight. */
  #copyTable(written: (table: CopiedTable) => string): void {
    const rows = this.#rows;
    if (!rows) return;
    const status = statusOf(rows, this.#table.matchingCount, this.#table.rowCount);
    const heading = STRINGS.heading(rows.title, rows.attribution, status);
    const table = copiedRows(new FunctionSource(this.#table, rows), this.#grid.shownColumns, heading);
    this.#host.send({ type: "copyText", text: written(table) });
  }

  #copyItem(text: string): MenuItem {
    return { label: SHARED_STRINGS.copyName, keys: "Ctrl+C", run: () => this.#host.send({ type: "copyText", text }) };
  }

  #copyByKey(event: KeyboardEvent, text: string): boolean {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "c") return false;
    this.#host.send({ type: "copyText", text });
    return true;
  }

  #menu(position: number, x: number, y: number): void {
    const row = this.#table.rowAt(position);
    if (row < 0) return;
    const functionIndex = this.#table.functionIndex(row);
    const isErlang = this.#table.kind(row) === "erlang";
    const ofFunction = this.#functionMenu(functionIndex, isErlang, () => this.#openSource(position));
    const ofUnnamed: MenuItem = {
      label: STRINGS.showAddresses,
      keys: "",
      run: () => {
        this.#withAddresses.checked = true;
        this.#changeView();
      },
    };
    openMenu(
      SHARED_STRINGS.rowMenu,
      [
        ...(functionIndex >= 0 ? ofFunction : []),
        ...(this.#table.isUnnamedCode(row) ? [ofUnnamed] : []),
        this.#copyItem(this.#table.name(row)),
      ],
      x,
      y,
    );
  }

  #saveSoon(): void {
    this.#saveTimer ??= setTimeout(() => {
      this.#saveTimer = undefined;
      const rows = this.#rows;
      if (!rows) return;
      this.#host.save({
        uri: rows.uri,
        view: rows.view,
        sorting: this.#sorting,
        attribution: rows.attribution,
        grouped: this.#grouped.checked,
        toggled: [...this.#toggled],
        filter: this.#filter,
        kind: this.#kind,
        selected: this.#selected,
        scrollTop: this.#grid.element.scrollTop,
        widths: this.#widths,
        tab: this.#tab,
        treeWidths: this.#treeWidths,
        treePath: this.#stacks.selectedPath,
      });
    }, SAVE_PAUSE_MS);
  }
}

/** How many functions are shown, and the base of 100 %. */
function statusOf({ of, view, unit }: TopRows, matching: number, all: number): string {
  return STRINGS.status(matching, all, of, view.ofBusy, unit);
}

/** Names of a state that another version may have kept. */
function readPath(saved: unknown): readonly string[] {
  return Array.isArray(saved) ? saved.filter((name): name is string => typeof name === "string") : [];
}
