// A table or tree of any length: only the rows in sight are in the document, and assistive technology gets the number
// of all.

import { bounded } from "../../contract/bounded.js";
import type { Sorting } from "../../contract/messages/sorting.js";
import { element } from "../elements/dom.js";
import { onWholePage } from "../elements/whole-page.js";
import { ColumnBorder } from "./column-border.js";
import { boundedWidth, fitColumns, grows, type ColumnWidths, type FittingColumn } from "./column-fit.js";
import type { GridRow } from "./grid-row.js";
import { HEAD_PX, MOST_ROWS, pageRows, ROW_PX, scrollTo, visibleRows } from "./grid-window.js";
import { TypeAhead } from "./type-ahead.js";

export interface GridColumn extends FittingColumn {
  readonly title: string;
  readonly help: string;
  readonly sortable: boolean;
}

export interface GridSource {
  readonly count: number;
  row(index: number): GridRow;
  /** -1 when it is not there. */
  indexOf(key: string): number;
  /** The text that typing finds. */
  text(index: number): string;
  fill(index: number, columnId: string, cell: HTMLElement): void;
  /** Of a source that has only some of its rows: whether this one is there. */
  isHere?(index: number): boolean;
}

export interface GridEvents {
  activate(index: number, columnId: string | null): void;
  /** Other keys; whether it did something. */
  key(event: KeyboardEvent, index: number): boolean;
  selected(key: string): void;
  sort?(columnId: string): void;
  toggle?(index: number, open: boolean): void;
  menu?(index: number, x: number, y: number): void;
  /** The reader changed a width; without this, widths stay as they are. */
  resized?(widths: ColumnWidths): void;
}

const NOTHING: GridSource = { count: 0, row: () => ({ key: "" }), indexOf: () => -1, text: () => "", fill: () => {} };
/** Of a page that is written as a document. */
const MOST_WRITTEN_ROWS = 2_000;
const INDENT_PX = 14;
const DEEPEST_INDENT = 20;
/** Of the column. */
const WIDEST_INDENT = "45%";
/** Of a double click, as desktops have it. */
const DOUBLE_CLICK_MS = 500;
const DOUBLE_CLICK_PX = 4;
let gridsMade = 0;

/** A click on a row that another one may follow. */
interface FirstClick {
  readonly key: string;
  readonly x: number;
  readonly y: number;
  readonly atMs: number;
}

export class VirtualGrid {
  readonly element: HTMLElement;
  readonly #id = `grid${gridsMade++}`;
  readonly #isTree: boolean;
  readonly #columns: readonly GridColumn[];
  readonly #events: GridEvents;
  readonly #body = element("div", { class: "grid-body", role: "rowgroup" });
  readonly #heads = new Map<string, HTMLElement>();
  readonly #borders = new Map<string, ColumnBorder>();
  readonly #drawn = new Map<number, HTMLElement>();
  readonly #spare: HTMLElement[] = [];
  readonly #typeAhead = new TypeAhead();
  /** Left out by the page, and without room. */
  #leftOut: ReadonlySet<string> = new Set();
  #hidden: ReadonlySet<string> = new Set();
  #widths: ColumnWidths = {};
  #sortedBy = "";
  #lastResized = "";
  #source = NOTHING;
  #selected = "";
  #rowsMade = 0;
  #frame = 0;
  /** All rows are drawn, wherever the scroll is. */
  #isWhole = false;
  /** A button of the mouse is down: text that is replaced then takes the click from the row. */
  #isPressed = false;
  #isLate = false;
  #firstClick: FirstClick | null = null;

  constructor(label: string, role: "grid" | "treegrid", columns: readonly GridColumn[], events: GridEvents) {
    this.#isTree = role === "treegrid";
    this.#columns = columns;
    this.#events = events;
    const head = element(
      "div",
      { class: "grid-row grid-head", role: "row", "aria-rowindex": "1" },
      ...columns.map((column, index) => this.#head(column, index)),
    );
    this.element = element(
      "div",
      { class: "grid", role, tabindex: "0", "aria-label": label, "aria-colcount": String(columns.length) },
      element("div", { role: "rowgroup", class: "grid-heads" }, head),
      this.#body,
    );
    this.#fit();
    this.element.style.setProperty("--row", `${ROW_PX}px`);
    this.element.style.setProperty("--head", `${HEAD_PX}px`);
    this.element.addEventListener("scroll", () => this.#drawSoon(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
    this.element.addEventListener("click", (event) => this.#onClick(event));
    onWholePage((isWhole) => {
      this.#isWhole = isWhole;
      this.draw();
    });
    this.#body.addEventListener("pointerdown", () => (this.#isPressed = true));
    for (const end of ["pointerup", "pointercancel"] as const) window.addEventListener(end, () => this.#released());
    this.element.addEventListener("contextmenu", (event) => {
      const { index } = this.#hit(event);
      if (index < 0 || !this.#events.menu) return;
      event.preventDefault();
      this.select(index);
      this.#events.menu(index, event.clientX, event.clientY);
    });
    new ResizeObserver(() => {
      this.#fit();
      this.#drawSoon();
    }).observe(this.element);
  }

  /** Those that are in sight: neither taken out nor left out for lack of room. */
  get shownColumns(): readonly GridColumn[] {
    return this.#columns.filter(({ id }) => !this.#hidden.has(id));
  }

  get selectedKey(): string {
    return this.#selected;
  }

  /** -1 when nothing is, or when it is not there any more. */
  get selectedIndex(): number {
    return this.#selected === "" ? -1 : this.#source.indexOf(this.#selected);
  }

  /** New rows; the selection stays, and so does the scroll. */
  setSource(source: GridSource, selectKey = this.#selected): void {
    this.#source = source;
    this.#selected = selectKey;
    this.element.setAttribute("aria-rowcount", String(source.count + 1));
    this.#body.style.height = `${Math.min(source.count, MOST_ROWS) * ROW_PX}px`;
    this.draw();
  }

  /** Leaves columns out, all others stay where they are. */
  hideColumns(ids: ReadonlySet<string>): void {
    if (ids.size === this.#leftOut.size && [...ids].every((id) => this.#leftOut.has(id))) return;
    this.#leftOut = ids;
    this.#fit();
  }

  setWidths(widths: ColumnWidths): void {
    this.#widths = widths;
    this.#fit();
  }

  /** Which columns are shown, and how wide: the same for all rows, as otherwise columns would not stand below each other. */
  #fit(): void {
    const columns = this.#columns.filter(({ id }) => !this.#leftOut.has(id));
    const kept = new Set([this.#sortedBy, this.#lastResized]);
    const { shown, tracks, leastPx } = fitColumns(columns, this.#widths, this.element.clientWidth, kept);
    this.element.style.setProperty("--tracks", tracks);
    this.element.style.setProperty("--least", `${leastPx}px`);
    this.#hide(new Set(this.#columns.flatMap(({ id }) => (shown.has(id) ? [] : [id]))));
    for (const [id, border] of this.#borders) if (shown.has(id)) border.show(this.#widthOf(id));
  }

  #hide(ids: ReadonlySet<string>): void {
    if (ids.size === this.#hidden.size && [...ids].every((id) => this.#hidden.has(id))) return;
    this.#hidden = ids;
    for (const [id, head] of this.#heads) head.hidden = ids.has(id);
    for (const row of [...this.#drawn.values(), ...this.#spare])
      this.#columns.forEach(({ id }, at) => ((row.children[at] as HTMLElement).hidden = ids.has(id)));
  }

  #widthOf(id: string): number {
    return this.#heads.get(id)?.getBoundingClientRect().width ?? 0;
  }

  #resize(id: string, px: number): void {
    const at = this.#columns.findIndex((column) => column.id === id);
    // A growing column before it would take the room that it gives, and its border would not move.
    const frozen = this.#columns
      .slice(0, at)
      .filter((column) => grows(column) && !this.#hidden.has(column.id) && this.#widths[column.id] === undefined)
      .map((column) => [column.id, boundedWidth(this.#widthOf(column.id))] as const);
    this.#lastResized = id;
    this.setWidths({ ...this.#widths, ...Object.fromEntries(frozen), [id]: boundedWidth(px) });
    this.#events.resized?.(this.#widths);
  }

  /** What the widest cell in the document needs. */
  #contentWidth(id: string): number {
    const at = this.#columns.findIndex((column) => column.id === id);
    const shown = this.#columns.filter((column) => !this.#hidden.has(column.id));
    const before = this.element.style.getPropertyValue("--tracks");
    this.element.style.setProperty("--tracks", shown.map((one) => (one.id === id ? "max-content" : "0px")).join(" "));
    const cells = [...this.#drawn.values()].map((row) => row.children[at]);
    const widths = [this.#heads.get(id), ...cells].map((cell) => cell?.getBoundingClientRect().width ?? 0);
    this.element.style.setProperty("--tracks", before);
    return Math.ceil(Math.max(...widths));
  }

  showSorting(sorting: Sorting): void {
    this.#sortedBy = sorting.columnId;
    this.#fit();
    for (const [id, head] of this.#heads) {
      const isIt = id === sorting.columnId;
      if (head.dataset["sortable"] !== undefined)
        head.setAttribute("aria-sort", isIt ? (sorting.descending ? "descending" : "ascending") : "none");
      const arrow = head.querySelector(".arrow");
      if (arrow) arrow.textContent = isIt ? (sorting.descending ? "▾" : "▴") : "";
    }
  }

  select(index: number): void {
    const nearest = bounded(index, 0, this.#source.count - 1);
    if (nearest < 0) return;
    this.#selected = this.#source.row(nearest).key;
    const { scrollTop, clientHeight } = this.element;
    const wanted = scrollTo(nearest, scrollTop, clientHeight);
    if (wanted !== scrollTop) this.element.scrollTop = wanted;
    this.#drawKept();
    this.#events.selected(this.#selected);
  }

  /** Where a menu of the selected row belongs. */
  placeOfSelected(): { x: number; y: number } {
    const box = (this.#drawn.get(this.selectedIndex) ?? this.element).getBoundingClientRect();
    return { x: box.left + 40, y: box.bottom };
  }

  draw(): void {
    const { scrollTop, clientHeight } = this.element;
    if (clientHeight === 0) return;
    if (this.#isPressed && this.#drawn.size > 0 && (this.#isLate || this.#keptRows === null)) {
      this.#isLate = true;
      return;
    }
    this.#isLate = false;
    const { first, end } = this.#isWhole
      ? { first: 0, end: Math.min(this.#source.count, MOST_WRITTEN_ROWS) }
      : visibleRows(scrollTop, clientHeight, Math.min(this.#source.count, MOST_ROWS));
    const isHere = (index: number) => !this.#isWhole || (this.#source.isHere?.(index) ?? true);
    const selected = this.selectedIndex;
    // The active row is named by its id, so it stays in the document wherever the scroll is.
    const wanted = (index: number) => (index >= first && index < end) || index === selected;
    for (const [index, row] of this.#drawn) {
      if (wanted(index) && index < this.#source.count) continue;
      this.#drawn.delete(index);
      this.#spare.push(row);
    }
    for (let index = first; index < end; index++) if (isHere(index)) this.#drawRow(index, selected);
    if (selected >= 0 && (selected < first || selected >= end)) this.#drawRow(selected, selected);
    for (const row of this.#spare.splice(0)) row.remove();
    const active = this.#drawn.get(selected);
    if (active) this.element.setAttribute("aria-activedescendant", active.id);
    else this.element.removeAttribute("aria-activedescendant");
  }

  #head({ id, title, help, numeric, sortable }: GridColumn, index: number): HTMLElement {
    const head = element("div", {
      class: numeric ? "cell numeric" : "cell",
      role: "columnheader",
      "aria-colindex": String(index + 1),
      title: help,
    });
    this.#heads.set(id, head);
    if (!sortable) head.append(element("span", {}, title));
    const press = sortable ? this.#sortButton(id, title, help) : undefined;
    if (press) {
      head.dataset["sortable"] = "";
      head.append(press);
    }
    if (this.#events.resized) {
      // The border's name is no part of the column's.
      head.setAttribute("aria-label", title);
      head.append(this.#border(id, title, press));
    }
    return head;
  }

  #sortButton(id: string, title: string, help: string): HTMLElement {
    const press = element(
      "button",
      { type: "button", class: "sort", title: help },
      element("span", {}, title),
      element("span", { class: "arrow", "aria-hidden": "true" }),
    );
    press.addEventListener("click", () => this.#events.sort?.(id));
    return press;
  }

  #border(id: string, title: string, press: HTMLElement | undefined): HTMLElement {
    const border = new ColumnBorder(title, {
      width: () => this.#widthOf(id),
      resize: (px) => this.#resize(id, px),
      fit: () => this.#resize(id, this.#contentWidth(id)),
      leave: () => (press ?? this.element).focus(),
    });
    this.#borders.set(id, border);
    // Without a button in the title it is reached by itself.
    if (!press) border.element.tabIndex = 0;
    press?.setAttribute("aria-keyshortcuts", "Alt+ArrowLeft Alt+ArrowRight");
    press?.addEventListener("keydown", (event) => {
      if (!border.stepFromTitle(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    return border.element;
  }

  #drawSoon(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#drawKept();
    });
  }

  /**
   * After a scroll or another selection, the content of the drawn rows is still right: only those that come into sight
   * are filled. A click that replaced the text under the mouse would take the second click of a double click from it.
   */
  #drawKept(): void {
    this.#keptRows = this.#isLate ? null : new Set(this.#drawn.keys());
    this.draw();
    this.#keptRows = null;
  }

  #keptRows: ReadonlySet<number> | null = null;

  #drawRow(index: number, selected: number): void {
    const known = this.#drawn.get(index);
    known?.setAttribute("aria-selected", String(index === selected));
    if (known && this.#keptRows?.has(index)) return;
    const row = known ?? this.#spare.pop() ?? this.#newRow();
    if (!known) this.#drawn.set(index, row);
    const facts = this.#source.row(index);
    row.dataset["index"] = String(index);
    row.dataset["key"] = facts.key;
    row.style.transform = `translateY(${index * ROW_PX}px)`;
    row.setAttribute("aria-rowindex", String(index + 2));
    row.setAttribute("aria-selected", String(index === selected));
    row.classList.toggle("marked", facts.marked === true);
    row.classList.toggle("odd", index % 2 === 1);
    row.classList.toggle("head", facts.isHead === true);
    if (this.#isTree) setTreeFacts(row, facts);
    let at = 0;
    for (const { id } of this.#columns) {
      const cell = row.children[at++] as HTMLElement;
      cell.replaceChildren();
      cell.removeAttribute("title");
      if (at === 1 && this.#isTree) cell.append(twistie(facts));
      this.#source.fill(index, id, cell);
    }
    if (!row.isConnected) this.#body.append(row);
  }

  #newRow(): HTMLElement {
    const cells = this.#columns.map(({ id, numeric }, index) =>
      element("div", {
        class: numeric ? "cell numeric" : "cell",
        role: "gridcell",
        "aria-colindex": String(index + 1),
        "data-column": id,
        hidden: this.#hidden.has(id),
      }),
    );
    return element("div", { class: "grid-row", role: "row", id: `${this.#id}-${this.#rowsMade++}` }, ...cells);
  }

  /** The row as it is drawn: newer rows may have it elsewhere. */
  #hit(event: Event): { index: number; key: string; columnId: string | null; twistie: boolean; link: boolean } {
    const target = event.target as HTMLElement;
    const key = target.closest<HTMLElement>("[data-index]")?.dataset["key"];
    return {
      index: key === undefined ? -1 : this.#source.indexOf(key),
      key: key ?? "",
      columnId: target.closest<HTMLElement>("[data-column]")?.dataset["column"] ?? null,
      twistie: target.closest(".twistie") !== null,
      link: target.closest(".place") !== null,
    };
  }

  #released(): void {
    if (!this.#isPressed) return;
    this.#isPressed = false;
    // The click comes first.
    if (this.#isLate) setTimeout(() => this.draw());
  }

  #onClick(event: MouseEvent): void {
    const { index, key, columnId, twistie, link } = this.#hit(event);
    const first = this.#firstClick;
    this.#firstClick = null;
    if (first !== null && isSecond(event, first)) {
      const at = this.#source.indexOf(first.key);
      if (at < 0) return;
      this.select(at);
      return this.#events.activate(at, null);
    }
    if (index < 0) return;
    this.element.focus({ preventScroll: true });
    this.select(index);
    const facts = this.#source.row(index);
    if (twistie && facts.expandable) this.#events.toggle?.(index, !facts.expanded);
    else if (link) this.#events.activate(index, columnId);
    else this.#firstClick = { key, x: event.clientX, y: event.clientY, atMs: event.timeStamp };
  }

  #onKey(event: KeyboardEvent): void {
    if (event.target !== this.element) return;
    const at = this.selectedIndex;
    if (at >= 0 && this.#events.key(event, at)) return event.preventDefault();
    if (at >= 0 && (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey))) {
      const { x, y } = this.placeOfSelected();
      this.#events.menu?.(at, x, y);
      return event.preventDefault();
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = pageRows(this.element.clientHeight);
    const moves: Record<string, () => void> = {
      ArrowDown: () => this.select(at + 1),
      ArrowUp: () => this.select(Math.max(at - 1, 0)),
      Home: () => this.select(0),
      End: () => this.select(this.#source.count - 1),
      PageDown: () => this.select(Math.max(at, 0) + page),
      PageUp: () => this.select(Math.max(at - page, 0)),
      Enter: () => at >= 0 && this.#events.activate(at, null),
    };
    if (this.#isTree && at >= 0) Object.assign(moves, this.#treeMoves(at));
    const move = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
    if (move && !(event.key === " " && this.#typeAhead.isTyping(event.timeStamp))) {
      event.preventDefault();
      move();
    } else if (event.key.length === 1) {
      event.preventDefault();
      const found = this.#typeAhead.find(event.key, event.timeStamp, at, this.#source.count, (index) =>
        this.#source.text(index),
      );
      if (found >= 0) this.select(found);
    }
  }

  #treeMoves(at: number): Record<string, () => void> {
    const { expandable, expanded, level = 1 } = this.#source.row(at);
    return {
      ArrowRight: () => {
        if (expandable && !expanded) this.#events.toggle?.(at, true);
        else if (expandable) this.select(at + 1);
      },
      ArrowLeft: () => {
        if (expanded) return this.#events.toggle?.(at, false);
        let parent = at - 1;
        while (parent >= 0 && (this.#source.row(parent).level ?? 1) >= level) parent--;
        if (parent >= 0) this.select(parent);
      },
      " ": () => expandable && this.#events.toggle?.(at, !expanded),
    };
  }
}

function setTreeFacts(
  row: HTMLElement,
  { level = 1, position = 1, siblings = 1, expandable, expanded }: GridRow,
): void {
  row.setAttribute("aria-level", String(level));
  row.setAttribute("aria-posinset", String(position));
  row.setAttribute("aria-setsize", String(siblings));
  if (expandable) row.setAttribute("aria-expanded", String(expanded === true));
  else row.removeAttribute("aria-expanded");
}

function twistie({ level = 1, expandable, expanded }: GridRow): HTMLElement {
  const made = element("span", { class: "twistie", "aria-hidden": "true" }, expandable ? (expanded ? "▾" : "▸") : "");
  // In a narrow column the name needs more than the rest.
  made.style.marginInlineStart = `min(${Math.min(level - 1, DEEPEST_INDENT) * INDENT_PX}px, ${WIDEST_INDENT})`;
  return made;
}

/**
 * Whether it is the second click of a double click. The browser has no such event where rows were drawn anew between the
 * two, as they are each second of a capture.
 */
function isSecond({ detail, clientX, clientY, timeStamp }: MouseEvent, { x, y, atMs }: FirstClick): boolean {
  if (detail === 2) return true;
  const isNear = Math.max(Math.abs(clientX - x), Math.abs(clientY - y)) <= DOUBLE_CLICK_PX;
  return isNear && timeStamp - atMs < DOUBLE_CLICK_MS;
}
