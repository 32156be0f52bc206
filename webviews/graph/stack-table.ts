// The tree of a graph as a table: callers above their callees, the heaviest first, with total and self.

import { markedOf, UNSURE } from "../../contract/figures.js";
import type { FlameData } from "../../contract/flame-data.js";
import { shownName } from "../../contract/plain-text.js";
import { element } from "../elements/dom.js";
import { mfaText } from "../elements/mfa-text.js";
import { percentBar } from "../elements/percent-bar.js";
import type { ColumnWidths } from "../grid/column-fit.js";
import type { GridRow } from "../grid/grid-row.js";
import { VirtualGrid, type GridColumn, type GridSource } from "../grid/virtual-grid.js";
import { count, percent } from "../words/figures.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { createLayout, type Layout } from "./layout.js";
import { findPath, pathOf } from "./path-match.js";
import { kindOf, levelsSuffix, nameOf, sourceOf } from "./shares.js";
import { GRAPH_STRINGS } from "./strings.js";
import { filteredTree } from "./tree-filter.js";
import { carriedOver, expandHeaviest, flattenTree, rowOf, treeRow, type TreeRows } from "./tree-rows.js";

export interface StackTableEvents {
  /** The source of a frame is wanted. */
  activate(data: FlameData, node: number): void;
  menu(data: FlameData, node: number, x: number, y: number): void;
  /** Other keys; whether it did something. */
  key(event: KeyboardEvent, data: FlameData, node: number): boolean;
  selected(path: readonly string[]): void;
  resized(widths: ColumnWidths): void;
}

/** By the index of a function. */
export type FunctionFilter = (functionIndex: number) => boolean;

const COLUMNS: readonly GridColumn[] = [
  {
    id: "name",
    ...GRAPH_STRINGS.columns.name,
    numeric: false,
    sortable: false,
    track: "minmax(120px, 1fr)",
    leastPx: 120,
    wantsPx: 280,
  },
  { id: "total", ...GRAPH_STRINGS.columns.total, numeric: true, sortable: false, track: "96px", leastPx: 96 },
  figureColumn("totalSamples", 80, 3),
  figureColumn("self", 96, 1),
  figureColumn("selfSamples", 80, 4),
  {
    id: "place",
    ...GRAPH_STRINGS.columns.place,
    numeric: false,
    sortable: false,
    track: "190px",
    leastPx: 110,
    leftOut: 2,
  },
];

function figureColumn(id: "totalSamples" | "self" | "selfSamples", px: number, leftOut: number): GridColumn {
  const words = GRAPH_STRINGS.columns[id];
  return { id, ...words, numeric: true, sortable: false, track: `${px}px`, leastPx: px, leftOut };
}

interface OpenTree {
  readonly layout: Layout;
  expanded: Set<number>;
}

export class StackTable {
  readonly grid: VirtualGrid;
  readonly #events: StackTableEvents;
  #whole: OpenTree | null = null;
  /** The part that the filter leaves. */
  #part: OpenTree | null = null;
  #fits: FunctionFilter | null = null;
  #selectedPath: readonly string[];
  #minimumSamples = 0;
  #rows: TreeRows = { nodes: new Uint32Array(), positions: new Uint32Array() };

  constructor(label: string, selectedPath: readonly string[], events: StackTableEvents) {
    this.#events = events;
    this.#selectedPath = selectedPath;
    const at = (index: number, act: (data: FlameData, node: number) => void) => {
      const shown = this.#shown;
      if (shown) act(shown.layout.data, this.#nodeAt(index));
    };
    this.grid = new VirtualGrid(label, "treegrid", COLUMNS, {
      activate: (index) => at(index, events.activate),
      toggle: (index, open) => this.#toggle(this.#nodeAt(index), open),
      selected: (key) => this.#selected(Number(key)),
      menu: (index, x, y) => at(index, (data, node) => events.menu(data, node, x, y)),
      key: (event, index) => {
        const data = this.#shown?.layout.data;
        return data !== undefined && events.key(event, data, this.#nodeAt(index));
      },
      resized: events.resized,
    });
  }

  get selectedPath(): readonly string[] {
    return this.#selectedPath;
  }

  /** Another capture comes: its stacks are others. */
  forget(): void {
    this.#whole = this.#part = null;
    this.#selectedPath = [];
  }

  /** With new samples of the same stacks, open calls stay open. @param minimumSamples shares of fewer are marked */
  setData(data: FlameData, fits: FunctionFilter | null, minimumSamples: number): void {
    this.#minimumSamples = minimumSamples;
    const before = this.#whole;
    const layout = createLayout(data);
    const expanded = before === null ? expandHeaviest(layout) : carriedOver(before.layout, before.expanded, layout);
    this.#whole = { layout, expanded };
    this.#filter(fits, this.#part);
  }

  setFilter(fits: FunctionFilter | null): void {
    this.#filter(fits, null);
  }

  /** @param before the open calls with the same filter; null: every function that is found is in sight */
  #filter(fits: FunctionFilter | null, before: OpenTree | null): void {
    if (!this.#whole) return;
    this.#fits = fits;
    const part = fits && filteredTree(this.#whole.layout.data, fits);
    this.#part = part && {
      layout: part.layout,
      expanded: before === null ? part.open : carriedOver(before.layout, before.expanded, part.layout),
    };
    this.#show();
  }

  /** How many functions fit the filter, of how many. */
  get functionCounts(): readonly [fitting: number, all: number] {
    const names = this.#whole?.layout.data.functionNames ?? [];
    const fits = this.#fits;
    const all = Math.max(names.length - 1, 0);
    // The first is the root's.
    return [fits === null ? all : names.filter((_, index) => index > 0 && fits(index)).length, all];
  }

  get #shown(): OpenTree | null {
    return this.#part ?? this.#whole;
  }

  /** The root is all there is, and has no row. */
  #nodeAt(index: number): number {
    return this.#rows.nodes[index + 1] ?? 0;
  }

  #toggle(node: number, open: boolean): void {
    const expanded = this.#shown?.expanded;
    if (open) expanded?.add(node);
    else expanded?.delete(node);
    this.#show();
  }

  #selected(node: number): void {
    const data = this.#shown?.layout.data;
    if (!data) return;
    this.#selectedPath = pathOf(data, node);
    this.#events.selected(this.#selectedPath);
  }

  #show(): void {
    const shown = this.#shown;
    if (!shown) return;
    const { layout, expanded } = shown;
    this.#rows = flattenTree(layout, expanded);
    const known = findPath(layout, this.#selectedPath).node;
    const selected = known > 0 && rowOf(this.#rows, known) > 0 ? known : this.#nodeAt(0);
    const source = new StackRows(layout, this.#rows, expanded, this.#minimumSamples);
    this.grid.setSource(source, selected > 0 ? String(selected) : "");
  }
}

/** The rows as the grid draws them. */
class StackRows implements GridSource {
  readonly #largestTotal: number;
  readonly #largestSelf: number;

  constructor(
    private readonly layout: Layout,
    private readonly rows: TreeRows,
    private readonly expanded: ReadonlySet<number>,
    private readonly minimumSamples: number,
  ) {
    const { nodeTotal, nodeSelf } = layout.data;
    // Siblings are in the order of their samples.
    this.#largestTotal = nodeTotal[1] ?? 0;
    this.#largestSelf = nodeSelf.reduce((most, self) => Math.max(most, self), 0);
  }

  get count(): number {
    return Math.max(this.rows.nodes.length - 1, 0);
  }

  row(index: number): GridRow {
    const { node, level, position, siblings, expandable, expanded } = treeRow(
      this.layout,
      this.rows,
      index + 1,
      this.expanded,
    );
    return { key: String(node), level: level - 1, position, siblings, expandable, expanded };
  }

  indexOf(key: string): number {
    return key === "" ? -1 : Math.max(rowOf(this.rows, Number(key)) - 1, -1);
  }

  text(index: number): string {
    return nameOf(this.layout.data, this.#nodeAt(index));
  }

  fill(index: number, columnId: string, cell: HTMLElement): void {
    const { data } = this.layout;
    const node = this.#nodeAt(index);
    const [total, self] = [data.nodeTotal[node] ?? 0, data.nodeSelf[node] ?? 0];
    switch (columnId) {
      case "name":
        return fillName(data, node, cell);
      case "total":
        return this.#fillShare(node, total, this.#largestTotal, cell);
      case "totalSamples":
        return cell.append(count(total));
      case "self":
        return this.#fillShare(node, self, this.#largestSelf, cell);
      case "selfSamples":
        return cell.append(count(self));
      case "place":
        return fillPlace(data, node, cell);
    }
  }

  #fillShare(node: number, samples: number, largest: number, cell: HTMLElement): void {
    const { nodeTotal, totalSamples } = this.layout.data;
    const figure = markedOf(nodeTotal[node] ?? 0, percent(samples, totalSamples), samples, this.minimumSamples);
    cell.append(...percentBar(samples, totalSamples, largest, figure));
    const scale = SHARED_STRINGS.barScale(percent(largest, totalSamples));
    cell.title = figure.startsWith(UNSURE) ? `${scale}. ${SHARED_STRINGS.tooFew(this.minimumSamples)}` : scale;
  }

  #nodeAt(index: number): number {
    return this.rows.nodes[index + 1] ?? 0;
  }
}

function fillName(data: FlameData, node: number, cell: HTMLElement): void {
  const kind = kindOf(data, node);
  const name = shownName(nameOf(data, node));
  const text = mfaText(name, kind === "marker" ? "name marker" : "name");
  text.title = name;
  cell.append(element("span", { class: `kind kind-${kind}`, "aria-hidden": "true" }), text);
  const levels = levelsSuffix(data, node);
  if (levels !== "") cell.append(element("span", { class: "quiet" }, levels));
}

function fillPlace(data: FlameData, node: number, cell: HTMLElement): void {
  const { file, line } = sourceOf(data, node);
  if (file === "") return;
  const name = shownName(file.split(/[\\/]/).at(-1) ?? file);
  const place = line > 0 ? `${name}:${line}` : name;
  cell.append(element("span", { class: "place", title: SHARED_STRINGS.goTo(place) }, mfaText(place)));
}
