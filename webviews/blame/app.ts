// Puts the blame panel together: messages of the extension host in, the user's actions out.

import { wholeOf } from "../../contract/capture-answers.js";
import type { BlameData, BlameRow, SavedState, ToHost, ToWebview } from "../../contract/messages/blame.js";
import { ClassSplitView, classParts } from "../elements/class-split.js";
import { Combobox } from "../elements/combobox.js";
import { button } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { openMenu, type MenuItem } from "../elements/menu.js";
import { VirtualGrid, type GridColumn } from "../grid/virtual-grid.js";
import { connectHost } from "../page/host.js";
import { Notice, waysOut } from "../page/notice.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { CallerSource } from "./caller-source.js";
import { FunctionStrip } from "./function-strip.js";
import { NodeChoice } from "./node-choice.js";
import { STRINGS } from "./strings.js";

const COLUMNS: readonly GridColumn[] = [
  { id: "name", ...STRINGS.columns.name, numeric: false, sortable: false, track: "minmax(200px, 1fr)", leastPx: 200 },
  { id: "samples", ...STRINGS.columns.samples, numeric: true, sortable: false, track: "90px", leastPx: 90 },
  { id: "ofIt", ...STRINGS.columns.ofIt, numeric: true, sortable: false, track: "130px", leastPx: 130 },
  // Which of both is shown is a setting.
  { id: "ofBusy", ...STRINGS.columns.ofBusy, numeric: true, sortable: false, track: "100px", leastPx: 100 },
  { id: "ofAll", ...STRINGS.columns.ofAll, numeric: true, sortable: false, track: "100px", leastPx: 100 },
  {
    id: "place",
    ...STRINGS.columns.place,
    numeric: false,
    sortable: false,
    track: "minmax(120px, 260px)",
    leastPx: 120,
  },
];

const HIDDEN_COLUMNS = { busy: new Set(["ofAll"]), all: new Set(["ofBusy"]) };

export class BlameApp {
  readonly #host = connectHost<ToWebview, ToHost, SavedState>((message) => this.#receive(message));
  readonly #notice = new Notice(STRINGS.title);
  readonly #totals = element("p", { class: "quiet" });
  readonly #split = new ClassSplitView({ ask: STRINGS.askOf }, (query) => this.#ask(query));
  readonly #strip = new FunctionStrip(
    (query) => this.#ask(query),
    () => this.#host.send({ type: "leaveFunction" }),
  );
  readonly #picker = new Combobox("blame-query", STRINGS.picker, (query) => this.#ask(query));
  readonly #nodes = new NodeChoice((node) => this.#host.send({ type: "node", node }));
  readonly #answer = element("h2", { class: "answer" });
  readonly #announcer = element("div", { class: "unseen", role: "status" });
  readonly #symbolsTitle = element("summary", {});
  readonly #symbolList = element("ul", { class: "symbols" });
  readonly #symbols = element("details", { class: "symbols-box" }, this.#symbolsTitle, this.#symbolList);
  readonly #hint = element("p", { class: "quiet hint" });
  readonly #notes = element("ul", { class: "notes" });
  readonly #grid: VirtualGrid;
  readonly #body: HTMLElement;
  readonly #copies: HTMLElement;
  #data: BlameData | null = null;
  #selected: string;
  #shownFocus = -1;

  constructor(root: HTMLElement) {
    const saved = this.#host.saved();
    this.#selected = typeof saved.selected === "string" ? saved.selected : "";
    this.#symbols.open = saved.symbolsOpen === true;
    this.#symbols.addEventListener("toggle", () => this.#save());
    this.#grid = new VirtualGrid(STRINGS.title, "treegrid", COLUMNS, {
      activate: (index) => this.#openSource(index),
      toggle: (index, open) => this.#toggle(index, open),
      selected: (key) => {
        this.#selected = key;
        const functionIndex = this.#selectedRow?.functionIndex ?? -1;
        if (functionIndex >= 0) this.#host.send({ type: "selected", functionIndex });
        this.#save();
      },
      menu: (index, x, y) => this.#menu(index, x, y),
      key: (event, index) => this.#key(event, index),
    });
    this.#copies = element(
      "div",
      { class: "line" },
      button(STRINGS.copyText, STRINGS.copyTextHelp, () => this.#host.send({ type: "copyTable", as: "text" })),
      button(STRINGS.copyMarkdown, STRINGS.copyMarkdownHelp, () =>
        this.#host.send({ type: "copyTable", as: "markdown" }),
      ),
    );
    const question = element(
      "div",
      { class: "line question" },
      element("label", { class: "in-editor", for: "blame-query" }, STRINGS.picker.label),
      this.#picker.element,
      this.#nodes.element,
      this.#copies,
    );
    this.#body = element(
      "div",
      { class: "body", hidden: true },
      element("header", {}, element("h1", { class: "unseen" }, STRINGS.title), this.#totals, this.#split.element),
      this.#strip.element,
      element(
        "main",
        { class: "body-main" },
        question,
        this.#answer,
        this.#hint,
        this.#symbols,
        this.#grid.element,
        this.#notes,
      ),
    );
    root.append(this.#notice.element, this.#body, this.#announcer);
    this.#notice.say(SHARED_STRINGS.loading);
    this.#host.send({ type: "ready", saved });
  }

  #receive(message: ToWebview): void {
    if (message.type === "empty") {
      this.#data = null;
      this.#body.hidden = true;
      return this.#notice.say(
        message.text,
        waysOut(message.actions, (request) => this.#host.send(request)),
      );
    }
    if (message.type === "mark") return this.#mark(message.functionIndex);
    this.#notice.hide();
    this.#body.hidden = false;
    this.#show(message);
    this.#save();
  }

  /** The first row of a function that another view has selected. Where it has none, the selection stays. */
  #mark(functionIndex: number): void {
    if (this.#selectedRow?.functionIndex === functionIndex) return;
    const index = this.#data?.answer?.rows.findIndex((row) => row.functionIndex === functionIndex) ?? -1;
    if (index >= 0) this.#grid.select(index);
  }

  get #selectedRow(): BlameRow | undefined {
    return this.#data?.answer?.rows.find(({ key }) => key === this.#selected);
  }

  #show(data: BlameData): void {
    const before = this.#data?.query;
    this.#data = data;
    const { busy, idle, busyWait } = classParts(data.split);
    this.#totals.replaceChildren(
      nameText(data.title),
      ` · ${STRINGS.totals(data.samples, data.busy, { idle, busyWait }, data.unit)}${data.live ? ` · ${SHARED_STRINGS.live}` : ""}`,
    );
    const { percentOf, minimumSamples, unit } = data;
    const whole = wholeOf(data, percentOf);
    const base = { whole, percentOf, minimumSamples, unit };
    this.#split.show(busy, { of: whole, label: STRINGS.splitLabel(percentOf, unit) }, data.query);
    this.#nodes.show(data.nodes, data.node);
    this.#strip.show(data.focus, base, data.query);
    this.#picker.setChoices(
      data.choices.map(({ query, isGroup, samples }) => ({ value: query, isGroup, samples })),
      data.query,
    );
    const { answer } = data;
    const found = answer !== null && answer.matched > 0;
    const text =
      answer === null
        ? STRINGS.pick
        : found
          ? STRINGS.answer(data.query, answer.matched, base)
          : STRINGS.none(data.query);
    this.#answer.replaceChildren(nameText(text));
    // Spoken when it answers something, not with every refresh.
    if (before !== data.query) this.#announcer.textContent = text;
    const hints = [
      data.notFound === "" ? "" : STRINGS.notFound(data.notFound),
      answer !== null && !found ? STRINGS.noneHelp : "",
      found && data.ownCode ? STRINGS.ownCode : "",
      answer !== null && answer.leftOut > 0 ? STRINGS.leftOut(answer.leftOut) : "",
    ].filter((hint) => hint !== "");
    this.#hint.textContent = hints.join(" ");
    this.#hint.hidden = hints.length === 0;
    this.#copies.hidden = !found;
    this.#symbols.hidden = !found;
    if (found) {
      this.#symbolsTitle.textContent = STRINGS.symbols(answer.symbols.length, answer.symbolCount);
      if (this.#symbolList.dataset["of"] !== answer.symbols.join("\n")) {
        this.#symbolList.dataset["of"] = answer.symbols.join("\n");
        this.#symbolList.replaceChildren(...answer.symbols.map((symbol) => element("li", {}, nameText(symbol))));
      }
    }
    this.#showRows(answer?.rows ?? [], answer?.matched ?? 0, data);
  }

  #showRows(rows: readonly BlameRow[], matched: number, data: BlameData): void {
    const focused = data.focus?.functionIndex ?? -1;
    const { percentOf, minimumSamples, unit } = data;
    const whole = wholeOf(data, percentOf);
    const source = new CallerSource(rows, { matched, whole, minimumSamples, unit, focused });
    this.#grid.element.hidden = rows.length === 0;
    this.#grid.hideColumns(HIDDEN_COLUMNS[percentOf]);
    this.#grid.element.setAttribute("aria-label", STRINGS.grid(data.query));
    const selected = source.indexOf(this.#selected) >= 0 ? this.#selected : (rows[0]?.key ?? "");
    this.#grid.setSource(source, selected);
    // A newly requested function is brought into sight, once.
    if (focused !== this.#shownFocus) {
      this.#shownFocus = focused;
      const index = focused < 0 ? -1 : rows.findIndex(({ functionIndex }) => functionIndex === focused);
      if (index >= 0) this.#grid.select(index);
    }
    const notes = new Set<string>();
    if (rows.some(({ atOrBelow }) => atOrBelow)) notes.add(`${STRINGS.atOrBelow}: ${STRINGS.atOrBelowHelp}`);
    for (const { name, functionIndex } of rows) {
      const note = functionIndex < 0 ? STRINGS.markers[name] : undefined;
      if (note !== undefined) notes.add(`${name}: ${note}`);
    }
    this.#notes.hidden = notes.size === 0;
    this.#notes.replaceChildren(...[...notes].map((note) => element("li", {}, note)));
  }

  #ask(query: string): void {
    this.#selected = "";
    this.#host.send({ type: "ask", query });
  }

  #toggle(index: number, open: boolean): void {
    const row = this.#row(index);
    if (row) this.#host.send({ type: "toggle", key: row.key, open });
  }

  #openSource(index: number): void {
    const row = this.#row(index);
    if (row && row.functionIndex >= 0)
      this.#host.send({ type: "openSource", functionIndex: row.functionIndex, line: row.line });
  }

  #key(event: KeyboardEvent, index: number): boolean {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "c") return false;
    this.#copyName(index);
    return true;
  }

  #copyName(index: number): void {
    const row = this.#row(index);
    if (row) this.#host.send({ type: "copyText", text: row.name });
  }

  #menu(index: number, x: number, y: number): void {
    const row = this.#row(index);
    if (!row) return;
    const ofFunction: MenuItem[] = [
      { label: SHARED_STRINGS.openSource, keys: "Enter", run: () => this.#openSource(index) },
      {
        label: SHARED_STRINGS.flameGraph,
        keys: "",
        run: () => this.#host.send({ type: "flameGraph", functionIndex: row.functionIndex }),
      },
    ];
    openMenu(
      SHARED_STRINGS.rowMenu,
      [
        ...(row.functionIndex >= 0 ? ofFunction : []),
        { label: SHARED_STRINGS.copyName, keys: "Ctrl+C", run: () => this.#copyName(index) },
      ],
      x,
      y,
    );
  }

  #row(index: number): BlameRow | undefined {
    return this.#data?.answer?.rows[index];
  }

  #save(): void {
    const data = this.#data;
    if (!data) return;
    const expanded = data.answer?.rows.filter((row) => row.expanded).map(({ key }) => key) ?? [];
    this.#host.save({
      uri: data.uri,
      query: data.query,
      node: data.node,
      functionName: data.focus?.name ?? "",
      expanded,
      selected: this.#selected,
      symbolsOpen: this.#symbols.open,
    });
  }
}
