// The graph as a tree: the same selection, one row in the tab order, only the rows in sight in the document.

import type { FlameData } from "../../contract/flame-data.js";
import { clipped } from "../../contract/plain-text.js";
import { element } from "../elements/dom.js";
import { ROW_PX, visibleRows } from "../grid/grid-window.js";
import { nodeColours, SHADES, type Palette } from "./colour.js";
import type { Layout } from "./layout.js";
import { shareText } from "./graph-figures.js";
import { foldMark, kindWord, levelsSuffix, nameOf } from "./shares.js";
import { GRAPH_STRINGS } from "./strings.js";
import { carriedOver, expandTo, flattenTree, rowOf, treeRow, type TreeRows } from "./tree-rows.js";

const INDENT_PX = 12;
const DEEPEST_INDENT = 20;

export interface TreeEvents {
  readonly select: (node: number) => void;
  /** A double click on the selected row. */
  readonly activate: () => void;
  /** A menu of the selected row is wanted at a place of the window. */
  readonly menu: (x: number, y: number) => void;
  /** Keys that mean the same in the graph. */
  readonly key: (event: KeyboardEvent) => void;
}

export class TreeTwin {
  readonly element = element("div", { class: "tree", role: "tree", "aria-label": GRAPH_STRINGS.callTree });
  private readonly spacer = element("div", { class: "tree-spacer", role: "none" });
  private layout: Layout | null = null;
  private rows: TreeRows = { nodes: new Uint32Array(), positions: new Uint32Array() };
  private expanded = new Set<number>([0]);
  private selected = 0;
  private palette: Palette | null = null;
  private colourOf: (node: number) => number = () => 0;

  /** @param shareOf the text before each name */
  constructor(
    private readonly events: TreeEvents,
    private readonly shareOf: (data: FlameData, node: number) => string = (data, node) =>
      shareText(data.nodeTotal[node] ?? 0, data.totalSamples),
  ) {
    this.element.append(this.spacer);
    this.element.addEventListener("scroll", () => this.draw());
    this.element.addEventListener("keydown", (event) => this.onKey(event));
    this.spacer.addEventListener("click", (event) => this.onClick(event));
    this.spacer.addEventListener("contextmenu", (event) => this.onContextMenu(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  setPalette(palette: Palette): void {
    this.palette = palette;
    this.draw();
  }

  setLayout(layout: Layout, selected: number): void {
    const before = this.layout;
    const isNew = before !== null && before.data !== layout.data;
    this.expanded = isNew ? carriedOver(before, this.expanded, layout) : new Set([0]);
    this.layout = layout;
    this.colourOf = nodeColours(layout.data);
    this.selected = selected;
    expandTo(layout, this.expanded, selected);
    this.flatten();
  }

  /** @param reveal scroll so that the row is in sight */
  select(node: number, reveal: boolean): void {
    if (!this.layout) return;
    this.selected = node;
    if (rowOf(this.rows, node) < 0) {
      expandTo(this.layout, this.expanded, node);
      this.rows = flattenTree(this.layout, this.expanded);
    }
    if (reveal) this.reveal();
    this.flatten();
  }

  /** Moves the focus to the selected row. */
  focus(): void {
    this.reveal();
    this.draw();
    this.selectedRow()?.focus();
  }

  /** Where a menu of the selected row belongs. */
  placeOfSelected(): { x: number; y: number } {
    const box = (this.selectedRow() ?? this.element).getBoundingClientRect();
    return { x: box.left + 40, y: box.bottom };
  }

  private selectedRow(): HTMLElement | null {
    return this.spacer.querySelector<HTMLElement>('[aria-selected="true"]');
  }

  private reveal(): void {
    const top = rowOf(this.rows, this.selected) * ROW_PX;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + ROW_PX > scrollTop + clientHeight) this.element.scrollTop = top + ROW_PX - clientHeight;
  }

  private flatten(): void {
    if (!this.layout) return;
    this.rows = flattenTree(this.layout, this.expanded);
    this.spacer.style.height = `${this.rows.nodes.length * ROW_PX}px`;
    this.draw();
  }

  private draw(): void {
    const { layout, rows } = this;
    if (!layout || this.element.clientHeight === 0) return;
    const hadFocus = this.spacer.contains(document.activeElement);
    const { first, end } = visibleRows(this.element.scrollTop, this.element.clientHeight, rows.nodes.length);
    const wanted = new Set<number>();
    for (let index = first; index < end; index++) wanted.add(index);
    // The selected row is the one in the tab order, so it stays in the document wherever the scroll is.
    const selectedIndex = rowOf(rows, this.selected);
    if (selectedIndex >= 0) wanted.add(selectedIndex);
    this.spacer.replaceChildren(...[...wanted].sort((a, b) => a - b).map((index) => this.drawRow(layout, index)));
    if (hadFocus) this.selectedRow()?.focus({ preventScroll: true });
  }

  private drawRow(layout: Layout, index: number): HTMLElement {
    const row = treeRow(layout, this.rows, index, this.expanded);
    const { data } = layout;
    const isSelected = row.node === this.selected;
    const name = clipped(nameOf(data, row.node));
    const made = element(
      "div",
      {
        role: "treeitem",
        class: "tree-row",
        "aria-level": String(row.level),
        "aria-posinset": String(row.position),
        "aria-setsize": String(row.siblings),
        "aria-selected": String(isSelected),
        tabindex: isSelected ? "0" : "-1",
        "data-row": String(index),
      },
      element(
        "span",
        { class: "tree-twistie", "data-twistie": true, "aria-hidden": "true" },
        row.expandable ? (row.expanded ? "▾" : "▸") : "",
      ),
      element("span", { class: "tree-share" }, this.shareOf(data, row.node)),
      this.swatch(data, row.node),
      element(
        "span",
        { class: "tree-name", title: name },
        foldMark(data, row.node),
        name,
        levelsSuffix(data, row.node),
      ),
    );
    if (row.expandable) made.setAttribute("aria-expanded", String(row.expanded));
    made.style.top = `${index * ROW_PX}px`;
    made.style.paddingInlineStart = `${4 + Math.min(row.level - 1, DEEPEST_INDENT) * INDENT_PX}px`;
    return made;
  }

  /** In the colour of the frame in the graph. */
  private swatch(data: FlameData, node: number): HTMLElement {
    const made = element(
      "span",
      { class: "tree-kind", hidden: node === 0 },
      element("span", { class: "unseen" }, kindWord(data, node)),
    );
    const colour = this.colourOf(node);
    const { palette } = this;
    if (palette)
      made.style.backgroundColor =
        (palette.highContrast ? palette.kind[Math.floor(colour / SHADES)] : palette.fill[colour]) ?? "";
    return made;
  }

  private choose(index: number): void {
    const node = this.rows.nodes[index];
    if (node === undefined) return;
    this.events.select(node);
    this.focus();
  }

  private setExpanded(node: number, open: boolean): void {
    if (open) this.expanded.add(node);
    else this.expanded.delete(node);
    this.flatten();
  }

  /** Node of the row that was pressed. */
  private nodeUnder(target: HTMLElement): number | undefined {
    return this.rows.nodes[Number(target.closest<HTMLElement>("[data-row]")?.dataset["row"] ?? -1)];
  }

  private onContextMenu(event: MouseEvent): void {
    const node = this.nodeUnder(event.target as HTMLElement);
    if (node === undefined) return;
    event.preventDefault();
    this.choose(rowOf(this.rows, node));
    this.events.menu(event.clientX, event.clientY);
  }

  private onClick(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    const node = this.nodeUnder(target);
    if (node === undefined) return;
    const isTwistie = target.hasAttribute("data-twistie");
    // The first click draws the rows anew, and no row gets a double click.
    const isSecond = event.detail === 2 && node === this.selected && !isTwistie;
    if (isTwistie) this.setExpanded(node, !this.expanded.has(node));
    this.choose(rowOf(this.rows, node));
    if (isSecond) this.events.activate();
  }

  private onKey(event: KeyboardEvent): void {
    const { layout } = this;
    if (!layout) return;
    const at = rowOf(this.rows, this.selected);
    const isOpen = this.expanded.has(this.selected);
    const hasChildren = (layout.childCount[this.selected] ?? 0) > 0;
    const page = Math.max(Math.floor(this.element.clientHeight / ROW_PX) - 1, 1);
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    const moves: Record<string, () => void> = {
      ArrowDown: () => this.choose(at + 1),
      ArrowUp: () => this.choose(at - 1),
      Home: () => this.choose(0),
      End: () => this.choose(this.rows.nodes.length - 1),
      PageDown: () => this.choose(Math.min(at + page, this.rows.nodes.length - 1)),
      PageUp: () => this.choose(Math.max(at - page, 0)),
      ArrowRight: () =>
        hasChildren && !isOpen ? this.setExpanded(this.selected, true) : hasChildren && this.choose(at + 1),
      ArrowLeft: () =>
        isOpen && hasChildren
          ? this.setExpanded(this.selected, false)
          : this.choose(rowOf(this.rows, Math.max(layout.data.nodeParent[this.selected] ?? 0, 0))),
    };
    const move = plain && Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
    if (!move) {
      this.events.key(event);
      return;
    }
    event.preventDefault();
    move();
  }
}
