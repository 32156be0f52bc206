// Puts the top table together: messages of the host in, what the reader does out.

import type { Measure } from "../../contract/capture-answers.js";
import { FRAME_KINDS } from "../../contract/flame-data.js";
import type { Sorting } from "../../contract/messages/sorting.js";
import type { SavedState, ToHost, TopRows, ToWebview } from "../../contract/messages/top.js";
import { checkbox, textField } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { openMenu, type MenuItem } from "../elements/menu.js";
import { singleSelect } from "../elements/single-select.js";
import { VirtualGrid, type GridColumn } from "../grid/virtual-grid.js";
import { connectHost } from "../page/host.js";
import { Notice, waysOut } from "../page/notice.js";
import { KIND_WORDS } from "../words/frame-kinds.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { FunctionSource } from "./function-source.js";
import { NodeTable } from "./node-table.js";
import { STRINGS } from "./strings.js";
import { TopTable, type Shown } from "./top-table.js";

/** Beside a source there is room for the first few: those that matter most. */
const COLUMNS: readonly GridColumn[] = [
  { id: "name", ...STRINGS.columns.name, numeric: false, sortable: true, track: "minmax(220px, 1fr)", leastPx: 220 },
  { id: "own", ...STRINGS.columns.own, numeric: true, sortable: true, track: "108px", leastPx: 108 },
  { id: "ownSamples", ...STRINGS.columns.ownSamples, numeric: true, sortable: true, track: "80px", leastPx: 80 },
  { id: "self", ...STRINGS.columns.self, numeric: true, sortable: true, track: "108px", leastPx: 108 },
  { id: "selfSamples", ...STRINGS.columns.selfSamples, numeric: true, sortable: true, track: "80px", leastPx: 80 },
  { id: "total", ...STRINGS.columns.total, numeric: true, sortable: true, track: "108px", leastPx: 108 },
  { id: "totalSamples", ...STRINGS.columns.totalSamples, numeric: true, sortable: true, track: "80px", leastPx: 80 },
  { id: "kind", ...STRINGS.columns.kind, numeric: false, sortable: true, track: "96px", leastPx: 96 },
  { id: "place", ...STRINGS.columns.place, numeric: false, sortable: true, track: "minmax(110px, 220px)", leastPx: 110 },
];
/** They say something only where code is known to be the user's own. */
const OWN_COLUMNS = new Set(["own", "ownSamples"]);
const NO_COLUMNS = new Set<string>();
const TEXT_COLUMNS = new Set(["name", "kind", "place"]);
const SAVE_PAUSE_MS = 200;

export class TopApp {
  readonly #host = connectHost<ToWebview, ToHost, SavedState>((message) => this.#receive(message));
  readonly #notice = new Notice(STRINGS.title);
  readonly #table = new TopTable();
  readonly #title = element("p", { class: "quiet" });
  readonly #status = element("p", { class: "quiet status", role: "status" });
  readonly #noMatch = element("p", { class: "quiet", hidden: true }, STRINGS.noMatch);
  readonly #onlyErlang = checkbox(STRINGS.onlyErlang, STRINGS.onlyErlangHelp, () => this.#changeView());
  readonly #ofBusy = checkbox(STRINGS.ofBusy, STRINGS.ofBusyHelp, () => this.#changeView());
  readonly #withAddresses = checkbox(STRINGS.withAddresses, STRINGS.withAddressesHelp, () => this.#changeView());
  readonly #grouped = checkbox(STRINGS.grouped, STRINGS.groupedHelp, () => this.#arrange());
  readonly #nodes = new NodeTable((node) => this.#changeView(node));
  readonly #filterInput;
  readonly #kindSelect;
  readonly #grid: VirtualGrid;
  readonly #body: HTMLElement;
  #rows: TopRows | null = null;
  #sorting: Sorting = { columnId: "own", descending: true };
  #measure: Measure | undefined;
  #toggled = new Set<string>();
  #filter = "";
  #kind = "";
  #selected = "";
  #scrollTop = 0;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement) {
    const saved = this.#host.saved();
    if (saved.sorting && COLUMNS.some(({ id }) => id === saved.sorting?.columnId)) this.#sorting = { columnId: saved.sorting.columnId, descending: saved.sorting.descending };
    this.#filter = typeof saved.filter === "string" ? saved.filter : "";
    this.#kind = typeof saved.kind === "string" ? saved.kind : "";
    this.#selected = typeof saved.selected === "string" ? saved.selected : "";
    this.#scrollTop = typeof saved.scrollTop === "number" ? saved.scrollTop : 0;
    this.#onlyErlang.checked = saved.view?.onlyErlang === true;
    this.#ofBusy.checked = saved.view?.ofBusy !== false;
    this.#withAddresses.checked = saved.view?.withAddresses === true;
    this.#grouped.checked = saved.grouped !== false;
    if (saved.sorting) this.#measure = saved.measure;
    if (Array.isArray(saved.toggled)) this.#toggled = new Set(saved.toggled.filter((key) => typeof key === "string"));
    this.#filterInput = textField(STRINGS.filter, STRINGS.filter, (value) => {
      this.#filter = value;
      this.#arrange();
    });
    this.#filterInput.value = this.#filter;
    this.#kindSelect = singleSelect(STRINGS.kind, [["", STRINGS.allKinds], ...FRAME_KINDS.map((name) => [name, KIND_WORDS[name]] as const)], this.#kind, (value) => {
      this.#kind = value;
      this.#arrange();
    });
    this.#grid = new VirtualGrid(STRINGS.grid, "treegrid", COLUMNS, {
      activate: (index) => this.#activate(index),
      toggle: (index) => this.#toggle(index),
      selected: (key) => {
        this.#selected = key;
        this.#saveSoon();
      },
      sort: (columnId) => this.#sort(columnId),
      menu: (index, x, y) => this.#menu(index, x, y),
      key: (event, index) => this.#key(event, index),
    });
    this.#grid.element.addEventListener("scroll", () => this.#saveSoon(), { passive: true });
    const tools = element("div", { class: "line tools" }, this.#filterInput, this.#kindSelect, this.#grouped, this.#onlyErlang, this.#ofBusy, this.#withAddresses, this.#status);
    this.#body = element(
      "div",
      { class: "body", hidden: true },
      element("header", {}, element("h1", { class: "unseen" }, STRINGS.title), this.#title),
      element("main", { class: "body-main" }, this.#nodes.element, tools, this.#noMatch, this.#grid.element),
    );
    root.append(this.#notice.element, this.#body);
    this.#notice.say(SHARED_STRINGS.loading);
    this.#host.send({ type: "ready", saved });
  }

  #receive(message: ToWebview): void {
    switch (message.type) {
      case "functions":
        return this.#table.addFunctions(message);
      case "reveal":
        return this.#reveal(message.functionIndex);
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
        if (this.#rows && this.#rows.uri !== message.uri) this.#selected = "";
        this.#rows = message;
        this.#notice.hide();
        this.#body.hidden = false;
        this.#title.replaceChildren(nameText(message.title), message.live ? ` · ${SHARED_STRINGS.live}` : "");
        this.#onlyErlang.checked = message.view.onlyErlang;
        this.#ofBusy.checked = message.view.ofBusy;
        this.#withAddresses.checked = message.view.withAddresses;
        this.#nodes.show(message.nodes, message.view.node);
        this.#goBy(message.measure);
        this.#table.setRows(message, this.#shown);
        this.#show();
        if (isFirst && this.#scrollTop > 0) this.#grid.element.scrollTop = this.#scrollTop;
      }
    }
  }

  #reveal(functionIndex: number): void {
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

  #arrange(): void {
    this.#table.arrange(this.#shown);
    this.#show();
    this.#saveSoon();
  }

  #show(): void {
    const rows = this.#rows;
    if (!rows) return;
    this.#grid.hideColumns(this.#hasOwnCode ? NO_COLUMNS : OWN_COLUMNS);
    this.#grid.showSorting(this.#visibleSorting);
    if (this.#selected === "" && this.#table.length > 0) this.#selected = this.#table.gridRow(0).key;
    this.#grouped.hidden = !this.#hasOwnCode;
    this.#withAddresses.hidden = !rows.view.withAddresses && !this.#table.hasUnnamedCode;
    this.#grid.setSource(new FunctionSource(this.#table, rows.of), this.#selected);
    this.#noMatch.hidden = this.#table.matchingCount > 0;
    const status = STRINGS.status(this.#table.matchingCount, this.#table.rowCount, rows.of, rows.view.ofBusy, rows.unit);
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
    const view = { node, onlyErlang: this.#onlyErlang.checked, ofBusy: this.#ofBusy.checked, withAddresses: this.#withAddresses.checked };
    this.#host.send({ type: "view", view });
  }

  /** Groups help to tell own code from the rest: without any there is nothing to tell apart. */
  get #hasOwnCode(): boolean {
    return this.#rows?.groups.some(({ kind }) => kind === "own") ?? false;
  }

  get #shown(): Shown {
    return { sorting: this.#sorting, filter: this.#filter, kind: this.#kind, isGrouped: this.#grouped.checked && this.#hasOwnCode, toggled: this.#toggled };
  }

  /** The order follows what the views go by, until a column is chosen. */
  #goBy(measure: Measure): void {
    if (measure === this.#measure) return;
    this.#measure = measure;
    this.#sorting = { columnId: measure, descending: true };
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

  /** What was open of it is folded, and the other way round. */
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
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "c") return false;
    this.#host.send({ type: "copyText", text: this.#table.name(this.#table.rowAt(position)) });
    return true;
  }

  #menu(position: number, x: number, y: number): void {
    const row = this.#table.rowAt(position);
    if (row < 0) return;
    const functionIndex = this.#table.functionIndex(row);
    const isErlang = this.#table.kind(row) === "erlang";
    const ofFunction: MenuItem[] = [
      { label: SHARED_STRINGS.openSource, keys: "Enter", run: () => this.#openSource(position) },
      { label: SHARED_STRINGS.flameGraph, keys: "", run: () => this.#host.send({ type: "flameGraph", functionIndex }) },
      { label: isErlang ? STRINGS.blameErlang : STRINGS.blameNative, keys: "", run: () => this.#host.send({ type: "blame", functionIndex }) },
    ];
    const ofUnnamed: MenuItem = {
      label: STRINGS.showAddresses,
      keys: "",
      run: () => {
        this.#withAddresses.checked = true;
        this.#changeView();
      },
    };
    const name = this.#table.name(row);
    openMenu(
      SHARED_STRINGS.rowMenu,
      [
        ...(functionIndex >= 0 ? ofFunction : []),
        ...(this.#table.isUnnamedCode(row) ? [ofUnnamed] : []),
        { label: SHARED_STRINGS.copyName, keys: "Ctrl+C", run: () => this.#host.send({ type: "copyText", text: name }) },
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
        measure: rows.measure,
        grouped: this.#grouped.checked,
        toggled: [...this.#toggled],
        filter: this.#filter,
        kind: this.#kind,
        selected: this.#selected,
        scrollTop: this.#grid.element.scrollTop,
      });
    }, SAVE_PAUSE_MS);
  }
}
