// Puts the panel that compares captures together: messages of the extension host in, the user's actions out.

import {
  FIGURES,
  MATCHES,
  TABS,
  TOUCHES,
  VERDICTS,
  isChange,
  type Changes,
  type ComparedCaptures,
  type Figure,
  type SavedState,
  type Tab,
  type Table,
  type ToHost,
  type ToWebview,
} from "../../contract/messages/compare.js";
import type { Measure } from "../../contract/editor-module.generated.js";
import type { Sorting } from "../../contract/messages/sorting.js";
import { isSampleClass } from "../../contract/sample-classes.js";
import { SAMPLES } from "../../contract/sample-type-words.js";
import { button, checkbox, textField } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { openMenu } from "../elements/menu.js";
import { singleSelect } from "../elements/single-select.js";
import { Tabs } from "../elements/tabs.js";
import { setUnit } from "../graph/graph-figures.js";
import { VirtualGrid, type GridColumn } from "../grid/virtual-grid.js";
import { connectHost } from "../page/host.js";
import { Notice } from "../page/notice.js";
import { SHARED_STRINGS, typeOfShares } from "../words/page-words.js";
import { classStyle, classWords } from "../words/sample-classes.js";
import { ChangeGraph } from "./change-graph.js";
import { ChangeSource, SIGNS } from "./change-source.js";
import {
  arrangedRows,
  BY_WEIGHT,
  verdictCounts,
  verdictOf,
  type RowTexts,
  type VerdictCounts,
} from "./change-table.js";
import { GateSection } from "./gate-section.js";
import { foldedRows, foldUnchanged, type FoldedRows, type ShownRows } from "./folded-rows.js";
import { NodeTracks } from "./node-tracks.js";
import { WholeLine } from "./whole-line.js";
import { movedText, noteText, STRINGS } from "./strings.js";
import { WhoseSection } from "./whose-section.js";
import { WHOSE_STRINGS } from "./whose-strings.js";

const SAVE_PAUSE_MS = 200;
/** Percent of the time of a side. */
const LEAST_SIZES = [0, 0.1, 0.5, 1, 5];
const TEXT_COLUMNS = new Set(["touched", "name", "class", "caller", "place"]);

const VERDICT_COLUMN: GridColumn = {
  id: "verdict",
  ...STRINGS.columns.verdict,
  numeric: false,
  sortable: true,
  track: "190px",
  leastPx: 190,
};
const FIGURE_COLUMNS: readonly GridColumn[] = [
  { id: "base", ...STRINGS.columns.base, numeric: true, sortable: true, track: "80px", leastPx: 80 },
  { id: "new", ...STRINGS.columns.new, numeric: true, sortable: true, track: "80px", leastPx: 80 },
  { id: "change", ...STRINGS.columns.change, numeric: true, sortable: true, track: "88px", leastPx: 88 },
  {
    id: "interval",
    ...STRINGS.columns.interval,
    numeric: false,
    sortable: true,
    track: "minmax(110px, 170px)",
    leastPx: 110,
  },
];
const nameColumn = (id: "name" | "class" | "caller", leastPx = 200): GridColumn => ({
  id,
  ...STRINGS.columns[id],
  numeric: false,
  sortable: true,
  track: `minmax(${leastPx}px, 1fr)`,
  leastPx,
});
const COLUMNS: Record<Table, readonly GridColumn[]> = {
  functions: [
    {
      id: "touched",
      ...STRINGS.columns.touched,
      numeric: false,
      sortable: true,
      track: "96px",
      leastPx: 96,
    },
    VERDICT_COLUMN,
    nameColumn("name"),
    ...FIGURE_COLUMNS,
    {
      id: "place",
      ...STRINGS.columns.place,
      numeric: false,
      sortable: true,
      track: "minmax(110px, 200px)",
      leastPx: 110,
    },
  ],
  classes: [VERDICT_COLUMN, nameColumn("class"), ...FIGURE_COLUMNS],
  blame: [VERDICT_COLUMN, nameColumn("class", 150), nameColumn("caller"), ...FIGURE_COLUMNS],
};

export class CompareApp {
  readonly #host = connectHost<ToWebview, ToHost, SavedState>((message) => this.#receive(message));
  readonly #notice = new Notice(STRINGS.title);
  readonly #sides = element("p", { class: "sides" });
  readonly #sizes = element("p", { class: "quiet" });
  readonly #counts = element("ul", { class: "counts", "aria-label": STRINGS.verdict });
  readonly #noChange = element("p", { hidden: true });
  readonly #remarks = element("ul");
  readonly #method = element("p", { class: "quiet" });
  readonly #remarksTitle = element("summary");
  readonly #details = element("details", { class: "remarks" }, this.#remarksTitle, this.#remarks, this.#method);
  readonly #tracks = new NodeTracks();
  readonly #whole = new WholeLine();
  readonly #gates = new GateSection((conditions) => this.#host.send({ type: "failIf", conditions }));
  readonly #status = element("p", { class: "quiet status", role: "status" });
  readonly #noMatch = element("p", { class: "quiet", hidden: true }, STRINGS.noMatch);
  readonly #ownOnly = checkbox(STRINGS.ownOnly, "", () => this.#arrange());
  readonly #showAll = checkbox(STRINGS.showAll, STRINGS.showAllHelp, () => this.#arrange());
  readonly #filterInput;
  readonly #moduleInput;
  readonly #verdictSelect;
  readonly #minimumSelect;
  readonly #measureRoom = element("span");
  readonly #figureRoom = element("span");
  readonly #whoseButton = button(WHOSE_STRINGS.ask, WHOSE_STRINGS.askHelp, () =>
    this.#askWhose("functions", this.#grids.functions.selectedIndex),
  );
  readonly #whose = new WhoseSection({
    open: (commit, touch) => this.#host.send({ type: "openTouch", commit, touch }),
    stop: () => this.#host.send({ type: "stopWhoseLine" }),
    closed: () => this.#grids[this.#table ?? "functions"].element.focus(),
  });
  readonly #grids: Record<Table, VirtualGrid>;
  readonly #graph: ChangeGraph;
  readonly #tools: HTMLElement;
  readonly #tabs: Tabs<Tab>;
  readonly #body: HTMLElement;
  readonly #sources: Partial<Record<Table, ChangeSource>> = {};
  readonly #sortings: Record<Table, Sorting> = { functions: BY_WEIGHT, classes: BY_WEIGHT, blame: BY_WEIGHT };
  #compared: ComparedCaptures | null = null;
  #figure: Figure = "own";
  #tab: Tab = "functions";
  #verdict = "";
  #minimum = 0;
  #module = "";
  #filter = "";
  /** The functions without a change are in sight. */
  #unfolded = false;
  /** The graph was requested since the captures were compared. */
  #hasGraph = false;
  #folded: FoldedRows | null = null;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement) {
    const saved = this.#host.saved();
    this.#tab = TABS.find((tab) => tab === saved.tab) ?? "functions";
    this.#figure = FIGURES.find((figure) => figure === saved.figure) ?? "own";
    this.#verdict = typeof saved.verdict === "string" ? saved.verdict : "";
    this.#minimum = LEAST_SIZES.find((size) => size === saved.minimum) ?? 0;
    this.#module = typeof saved.module === "string" ? saved.module : "";
    this.#filter = typeof saved.filter === "string" ? saved.filter : "";
    this.#ownOnly.checked = saved.ownOnly === true;
    this.#showAll.checked = saved.showAll === true;
    this.#unfolded = saved.unfolded === true;
    const table = this.#table;
    if (table !== null && saved.sorting && COLUMNS[table].some(({ id }) => id === saved.sorting?.columnId))
      this.#sortings[table] = { columnId: saved.sorting.columnId, descending: saved.sorting.descending };
    this.#filterInput = textField(STRINGS.filter, STRINGS.filter, (value) => {
      this.#filter = value;
      this.#arrange();
    });
    this.#filterInput.value = this.#filter;
    this.#moduleInput = textField(STRINGS.module, STRINGS.module, (value) => {
      this.#module = value;
      this.#arrange();
    });
    this.#moduleInput.value = this.#module;
    const verdicts = VERDICTS.map((verdict) => [verdict, `${SIGNS[verdict]} ${STRINGS.verdicts[verdict]}`] as const);
    this.#verdictSelect = singleSelect(
      STRINGS.verdict,
      [["", STRINGS.allVerdicts], ["changes", STRINGS.changes], ...verdicts],
      this.#verdict,
      (value) => {
        this.#verdict = value;
        this.#arrange();
      },
    );
    const sizes = LEAST_SIZES.map(
      (size) => [String(size), size === 0 ? STRINGS.anySize : STRINGS.atLeast(size)] as const,
    );
    this.#minimumSelect = singleSelect(STRINGS.minimum, sizes, String(this.#minimum), (value) => {
      this.#minimum = Number(value);
      this.#arrange();
    });
    this.#grids = { functions: this.#grid("functions"), classes: this.#grid("classes"), blame: this.#grid("blame") };
    this.#graph = new ChangeGraph(
      saved.shape,
      (message) => this.#host.send(message),
      () => {
        this.#askForGraph();
        this.#saveSoon();
      },
    );
    const panels = TABS.map((id) => ({
      id,
      label: STRINGS.tabs[id],
      content: element("div", { class: "tab-panel" }, id === "graph" ? this.#graph.element : this.#grids[id].element),
    }));
    this.#tabs = new Tabs(STRINGS.tabList, panels, (tab) => {
      this.#tab = tab;
      this.#arrange();
    });
    const others = element(
      "span",
      { class: "line" },
      button(STRINGS.swap, STRINGS.swapHelp, () => this.#host.send({ type: "swap" })),
      button(STRINGS.chooseOthers, STRINGS.chooseOthers, () => this.#host.send({ type: "choose" })),
      button(STRINGS.copyMarkdown, STRINGS.copyMarkdownHelp, () => this.#host.send({ type: "copyMarkdown" })),
    );
    this.#tools = element(
      "div",
      { class: "line tools" },
      this.#figureRoom,
      this.#measureRoom,
      this.#verdictSelect,
      this.#minimumSelect,
      this.#filterInput,
      this.#moduleInput,
      this.#ownOnly,
      this.#showAll,
      this.#whoseButton,
      this.#status,
    );
    this.#body = element(
      "div",
      { class: "body", hidden: true },
      element(
        "header",
        {},
        element("h1", { class: "unseen" }, STRINGS.title),
        element("div", { class: "line" }, this.#sides, others),
        this.#sizes,
      ),
      element(
        "main",
        { class: "body-main" },
        this.#gates.element,
        this.#whole.element,
        this.#counts,
        this.#noChange,
        this.#details,
        this.#tracks.element,
        this.#tabs.element,
        this.#tools,
        this.#noMatch,
        ...panels.map(({ content }) => content),
        this.#whose.element,
      ),
    );
    root.append(this.#notice.element, this.#body);
    this.#tabs.show(this.#tab);
    this.#notice.say(SHARED_STRINGS.loading);
    this.#host.send({ type: "ready", saved });
  }

  #receive(message: ToWebview): void {
    const choose = { label: STRINGS.choose, run: () => this.#host.send({ type: "choose" }) };
    const anyway = { label: STRINGS.anyway, run: () => this.#host.send({ type: "anyway" }) };
    const again = { label: STRINGS.again, run: () => this.#host.send({ type: "again" }) };
    switch (message.type) {
      case "busy":
        return this.#say(STRINGS.busy, [{ label: STRINGS.cancel, run: () => this.#host.send({ type: "cancel" }) }]);
      case "cancelled":
        return this.#say(STRINGS.cancelled, [again, choose]);
      case "nothingChosen":
        return this.#say(STRINGS.nothingChosen, [choose]);
      case "problem":
        return message.choice === undefined
          ? this.#say(STRINGS.problem(message.what, message.why), [choose, again])
          : this.#say(`${STRINGS.problem(message.what, message.why)}\n${STRINGS.anywayHelp[message.choice]}`, [
              choose,
              anyway,
            ]);
      case "compared":
        return this.#show(message);
      case "graph":
        return this.#graph.show(message.data, message.shape);
      case "askingWhose":
        return this.#whose.asking(message);
      case "whoseLines":
        return this.#whose.show(message);
    }
  }

  #say(text: string, actions: Parameters<Notice["say"]>[1]): void {
    this.#body.hidden = true;
    this.#notice.say(text, actions);
  }

  #show(compared: ComparedCaptures): void {
    this.#compared = compared;
    this.#notice.hide();
    this.#whose.hide();
    this.#body.hidden = false;
    const { base, new: newer, method, remarks } = compared;
    const notes = [...remarks, ...compared.moved.map(movedText), ...compared.notes.map(noteText)];
    this.#sides.replaceChildren(nameText(base.name), " → ", nameText(newer.name));
    this.#sides.title = `${base.captures.join(", ")} → ${newer.captures.join(", ")}`;
    const { unit = SAMPLES } = compared;
    setUnit(unit);
    this.#sizes.replaceChildren(
      unit === SAMPLES
        ? `${STRINGS.sideNow(base, compared.work)} · ${STRINGS.sideNow(newer, compared.work)} · ${STRINGS.measureHelp[compared.measure](compared.work)}`
        : `${STRINGS.sideOfType(base)} · ${STRINGS.sideOfType(newer)} · ${STRINGS.measureOfType(typeOfShares(unit) ?? unit)}`,
    );
    this.#remarks.replaceChildren(...notes.map((note) => element("li", {}, note)));
    this.#remarksTitle.textContent =
      notes.length > 0 ? `${STRINGS.details} · ${STRINGS.notes(notes.length)}` : STRINGS.details;
    // Remarks that question the figures must be in sight.
    this.#details.open = notes.length > 0;
    this.#method.textContent = STRINGS.method(method);
    this.#tracks.show(compared.tracks ?? []);
    this.#whole.show(compared.whole, compared.work);
    this.#gates.show(compared.gates, compared.notes);
    this.#ownOnly.hidden = compared.functions.own === null;
    this.#measureRoom.replaceChildren(
      singleSelect(
        STRINGS.measure,
        compared.measures.map((measure) => [measure, STRINGS.measures[measure]] as const),
        compared.measure,
        (measure) => this.#host.send({ type: "measure", measure: measure as Measure }),
      ),
    );
    const figures = FIGURES.filter((figure) => figure !== "own" || compared.functions.own !== null);
    this.#figureRoom.replaceChildren(
      singleSelect(
        STRINGS.figure,
        figures.map((figure) => [figure, STRINGS.figures[figure]] as const),
        compared.functions.own === null && this.#figure === "own" ? "self" : this.#figure,
        (figure) => {
          this.#figure = figure as Figure;
          this.#arrange();
        },
      ),
    );
    this.#graph.expectNew(compared.measure);
    this.#hasGraph = false;
    this.#arrange();
  }

  /** The table in sight; null when it is the graph. */
  get #table(): Table | null {
    return this.#tab === "graph" ? null : this.#tab;
  }

  #askForGraph(): void {
    this.#hasGraph = true;
    this.#host.send({ type: "graph", shape: this.#graph.shape });
  }

  #arrange(): void {
    const compared = this.#compared;
    if (!compared) return;
    const tab = this.#table;
    for (const part of [this.#tools, this.#counts]) part.hidden = tab === null;
    if (tab === null) {
      for (const part of [this.#noMatch, this.#noChange]) part.hidden = true;
      // It costs more than the tables, so it is made only for users who look at it.
      if (!this.#hasGraph) this.#askForGraph();
      return this.#saveSoon();
    }
    const table = this.#tableOf(compared, tab);
    const grid = this.#grids[tab];
    const rows = arrangedRows(
      table,
      { verdict: this.#verdict, minimum: this.#minimum, name: this.#filter, ...this.#alsoFits(compared, tab) },
      this.#sortings[tab],
      wholes(compared),
    );
    const source = new ChangeSource(
      table,
      this.#foldedIn(tab, rows, table.changes),
      compared.measure,
      (row, columnId, cell) => this.#fill(compared, tab, row, columnId, cell),
    );
    this.#sources[tab] = source;
    grid.showSorting(this.#sortings[tab]);
    const selected =
      source.indexOf(grid.selectedKey) >= 0 ? grid.selectedKey : source.count > 0 ? source.row(0).key : "";
    grid.setSource(source, selected);
    for (const part of [this.#figureRoom, this.#moduleInput, this.#whoseButton]) part.hidden = tab !== "functions";
    this.#ownOnly.hidden = tab !== "functions" || compared.functions.own === null;
    this.#showAll.hidden = tab !== "functions";
    this.#noMatch.hidden = rows.length > 0;
    this.#status.textContent = STRINGS.status(rows.length, table.count);
    const folded = tab === "functions" ? this.#folded : null;
    const counts = verdictCounts(table.changes, (row) => folded?.isFolded(row) !== true);
    this.#counts.replaceChildren(
      ...VERDICTS.filter((verdict) => counts[verdict] > 0).map((verdict) =>
        element(
          "li",
          {},
          element("span", { "aria-hidden": "true" }, `${SIGNS[verdict]} `),
          STRINGS.counted[verdict](counts[verdict]),
        ),
      ),
    );
    const changed = (of: VerdictCounts) =>
      VERDICTS.reduce((sum, verdict) => sum + (isChange(verdict) ? of[verdict] : 0), 0);
    this.#noChange.hidden = tab !== "functions" || changed(counts) > 0;
    this.#noChange.textContent = STRINGS.noChange(changed(verdictCounts(table.changes)));
    this.#saveSoon();
  }

  #foldedIn(tab: Table, rows: Uint32Array, changes: Changes): ShownRows {
    // A verdict that is chosen is shown.
    const folds = tab === "functions" && this.#verdict === "";
    const isChanged = (row: number) => isChange(verdictOf(changes, row));
    return foldUnchanged(rows, folds ? isChanged : null, this.#unfolded || this.#looksForName);
  }

  /** A name that is looked for is shown, whether it changed or not. */
  get #looksForName(): boolean {
    return this.#filter.trim() !== "" || this.#module.trim() !== "";
  }

  #alsoFits({ functions }: ComparedCaptures, tab: Table): { fits?(row: number): boolean } {
    if (tab !== "functions") return {};
    const wanted = this.#module.trim().toLowerCase();
    const modules = functions.modules.map((name) => wanted === "" || name.toLowerCase().includes(wanted));
    const own = this.#ownOnly.checked ? functions.own : null;
    const folded = (this.#folded = foldedRows(functions, this.#figure, this.#showAll.checked || this.#looksForName));
    return {
      fits: (row) =>
        !folded.isFolded(row) &&
        modules[functions.module[row] ?? 0] === true &&
        (own === null || (own.base[row] ?? 0) + (own.new[row] ?? 0) > 0),
    };
  }

  #tableOf({ functions, classes, blame }: ComparedCaptures, tab: Table): RowTexts {
    const className = (name: string | null | undefined) =>
      classWords(isSampleClass(name ?? null) ? (name as Parameters<typeof classWords>[0]) : null).name;
    switch (tab) {
      case "functions": {
        const changes: Changes = functions[this.#figure] ?? functions.self;
        const name = (row: number) => functions.names[row] ?? "";
        const group = (row: number) => functions.group[row] ?? 0;
        return {
          count: functions.names.length,
          changes,
          name,
          group,
          text: (row, columnId) => {
            // What the commit touched comes first.
            if (columnId === "touched") return String(functions.touched[row]);
            return columnId === "place" ? (functions.places[row] ?? "") : name(row);
          },
        };
      }
      case "classes": {
        const name = (row: number) => className(classes.classes[row]);
        return { count: classes.classes.length, changes: classes.changes, name, text: name };
      }
      case "blame": {
        const name = (row: number) => blame.names[row] ?? "";
        return {
          count: blame.names.length,
          changes: blame.changes,
          name,
          text: (row, columnId) => (columnId === "class" ? className(blame.classes[row]) : name(row)),
        };
      }
    }
  }

  #fill(
    { functions, classes, blame }: ComparedCaptures,
    tab: Table,
    row: number,
    columnId: string,
    cell: HTMLElement,
  ): void {
    switch (columnId) {
      case "touched": {
        const touched = TOUCHES[functions.touched[row] ?? -1] ?? "unknown";
        return cell.append(element("span", {}, STRINGS.touches[touched]));
      }
      case "name": {
        const kind = functions.kinds[row] ?? "native";
        const name = functions.names[row] ?? "";
        const text = nameText(name, kind === "marker" ? "name marker" : "name");
        text.title = name;
        cell.append(element("span", { class: `kind kind-${kind}`, "aria-hidden": "true" }), text);
        const before = functions.baseNames[row];
        const by = MATCHES[functions.matchedBy[row] ?? -1];
        const remark = functions.remarks[row];
        const callers = this.#folded?.callersOf(row) ?? 0;
        const how = [
          ...(before === undefined ? [] : [STRINGS.before(before)]),
          ...(by === undefined || by === "name" ? [] : [STRINGS.matchedBy[by]]),
          ...(remark === undefined ? [] : [STRINGS.rowRemarks[remark]]),
          ...(callers === 0 ? [] : [STRINGS.callers(callers)]),
        ];
        if (how.length > 0) {
          const matched = nameText(how.join(", "), "matched quiet");
          matched.title = how.join(", ");
          cell.append(matched);
        }
        return;
      }
      case "class": {
        const given = tab === "classes" ? (classes.classes[row] ?? null) : (blame.classes[row] ?? null);
        const sampleClass = isSampleClass(given) ? given : null;
        return cell.append(
          element("span", { class: `kind ${classStyle(sampleClass)}`, "aria-hidden": "true" }),
          element("span", {}, classWords(sampleClass).name),
        );
      }
      case "caller":
        return cell.append(nameText(blame.names[row] ?? ""));
      case "place": {
        const place = functions.places[row] ?? "";
        if (place === "") return;
        cell.append(element("span", { class: "place", title: SHARED_STRINGS.goTo(place) }, place));
      }
    }
  }

  #grid(tab: Table): VirtualGrid {
    return new VirtualGrid(STRINGS.grids[tab], tab === "functions" ? "treegrid" : "grid", COLUMNS[tab], {
      activate: (index) => (this.#sources[tab]?.isFold(index) ? this.#fold() : this.#openSource(tab, index)),
      toggle: () => this.#fold(),
      key: (event, index) => {
        if ((event.ctrlKey || event.metaKey) && event.key === "Enter") return this.#askWhose(tab, index);
        if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "c") return false;
        this.#copyName(tab, index);
        return true;
      },
      selected: () => {},
      sort: (columnId) => {
        const before = this.#sortings[tab];
        const isSame = before.columnId === columnId;
        this.#sortings[tab] = { columnId, descending: isSame ? !before.descending : !TEXT_COLUMNS.has(columnId) };
        this.#arrange();
        this.#grids[tab].element.scrollTop = 0;
      },
      menu: (index, x, y) => {
        if (this.#sources[tab]?.isFold(index)) return;
        const openSource = { label: SHARED_STRINGS.openSource, keys: "Enter", run: () => this.#openSource(tab, index) };
        const whose = { label: WHOSE_STRINGS.ask, keys: "Ctrl+Enter", run: () => void this.#askWhose(tab, index) };
        openMenu(
          SHARED_STRINGS.rowMenu,
          [
            ...(this.#functionOf(tab, index) >= 0 ? [openSource, whose] : []),
            { label: SHARED_STRINGS.copyName, keys: "Ctrl+C", run: () => this.#copyName(tab, index) },
          ],
          x,
          y,
        );
      },
    });
  }

  #fold(): void {
    if (this.#looksForName) return;
    this.#unfolded = !this.#unfolded;
    this.#arrange();
  }

  /** Row of the functions; -1 when it is none. */
  #functionOf(tab: Table, index: number): number {
    const row = this.#sources[tab]?.rowAt(index) ?? -1;
    if (tab === "functions") return row;
    const name = tab === "blame" ? this.#compared?.blame.names[row] : undefined;
    return name === undefined ? -1 : (this.#compared?.functions.names.indexOf(name) ?? -1);
  }

  #openSource(tab: Table, index: number): void {
    const row = this.#functionOf(tab, index);
    if (row >= 0) this.#host.send({ type: "openSource", row });
  }

  /** Requests the commits that touched the row's function; false when there is no function. */
  #askWhose(tab: Table, index: number): boolean {
    const row = this.#functionOf(tab, index);
    if (row >= 0) this.#host.send({ type: "whoseLine", row });
    return row >= 0;
  }

  #copyName(tab: Table, index: number): void {
    const source = this.#sources[tab];
    const text = source?.isFold(index) ? "" : (source?.text(index) ?? "");
    if (text !== "") this.#host.send({ type: "copyText", text });
  }

  #saveSoon(): void {
    this.#saveTimer ??= setTimeout(() => {
      this.#saveTimer = undefined;
      const compared = this.#compared;
      if (!compared) return;
      this.#host.save({
        comparands: compared.comparands,
        tab: this.#tab,
        figure: this.#figure,
        verdict: this.#verdict,
        minimum: this.#minimum,
        ownOnly: this.#ownOnly.checked,
        showAll: this.#showAll.checked,
        unfolded: this.#unfolded,
        module: this.#module,
        filter: this.#filter,
        sorting: this.#table === null ? BY_WEIGHT : this.#sortings[this.#table],
        shape: this.#graph.shape,
      });
    }, SAVE_PAUSE_MS);
  }
}

/** The base of a hundred percent on each side: all self time, which is in one function only. */
function wholes({ functions: { self } }: ComparedCaptures): { readonly base: number; readonly new: number } {
  const sum = (values: Float64Array) => values.reduce((all, value) => all + value, 0);
  return { base: sum(self.base), new: sum(self.new) };
}
