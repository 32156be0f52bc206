// The graphs themselves: the whole one, or callers and callees of a function, with tree, details, tooltip and minimap of the active one.

import type { FlameData } from "../../contract/flame-data.js";
import { heaviestFrame } from "../../contract/heaviest-frame.js";
import type { GraphPart, Orientation, SavedPlace, ToHost, ToWebview } from "../../contract/messages/flame-graph.js";
import { clipped } from "../../contract/plain-text.js";
import { button } from "../elements/controls.js";
import { element } from "../elements/dom.js";
import { openMenu } from "../elements/menu.js";
import { Details } from "./details.js";
import type { Picture } from "./export-file.js";
import { stackText } from "./export-folded.js";
import type { Folds } from "./folds.js";
import { frameMenu } from "./frame-menu.js";
import { requestFor } from "./frame-requests.js";
import { actionFor, type Action } from "../graph/keyboard.js";
import { Minimap } from "../graph/minimap.js";
import { actOnPane } from "../graph/pane-actions.js";
import { FlamePane, type PaneEvents } from "../graph/pane.js";
import { createLayout } from "../graph/layout.js";
import { findPath } from "../graph/path-match.js";
import { searchPanes } from "../graph/search-panes.js";
import { nextMatch } from "../graph/search.js";
import { foldOf, isFunction, nameOf, sentenceOf } from "../graph/shares.js";
import { GRAPH_STRINGS } from "../graph/strings.js";
import { S } from "./strings.js";
import { reducedMotion, type Theme } from "../graph/theme.js";
import { Tooltip } from "../graph/tooltip.js";
import { TreeTwin } from "../graph/tree.js";

export interface StageEvents {
  readonly send: (message: ToHost) => void;
  /** An action that is not about the graphs. */
  readonly act: (action: Action) => void;
  /** Another graph is active, or it has other data. */
  readonly changed: () => void;
  /** Callers and callees are gone; shares are of the whole again. */
  readonly left: () => void;
  /** Selection or zoom may have moved. */
  readonly moved: () => void;
}

export class Stage {
  private readonly whole: FlamePane;
  private readonly callers: FlamePane;
  private readonly callees: FlamePane;
  readonly panes: readonly FlamePane[];
  active: FlamePane;
  sandwichOf: string | null = null;
  /** The function that is selected in all views. */
  private shared = "";

  readonly minimap = new Minimap((share) => this.active.centre(share));
  private readonly tooltip = new Tooltip();
  private readonly details: Details;
  private readonly tree: TreeTwin;
  private readonly announcer = element("div", { class: "unseen announcer", role: "status", "aria-live": "polite" });
  private readonly sandwichTitle = element("span", {});
  private readonly sandwichBar: HTMLElement;
  private readonly main: HTMLElement;
  /** In the order of the page. */
  readonly elements: readonly HTMLElement[];

  constructor(
    private readonly events: StageEvents,
    private readonly folds: Folds,
  ) {
    const paneEvents: PaneEvents = {
      selected: (pane) => this.selectionChanged(pane, true),
      hovered: (pane, node, x, y) =>
        node < 0 || !pane.data ? this.tooltip.hide() : this.tooltip.show(pane.data, node, x, y),
      activated: () => this.act({ do: "zoomToSelected" }),
      openSource: () => this.act({ do: "openSource" }),
      menu: (x, y) => this.openMenu(x, y),
      key: (event, pane) => this.onKey(event, pane),
      painted: (pane) => this.painted(pane),
      focused: (pane) => this.activate(pane),
      moved: () => this.events.moved(),
    };
    this.whole = new FlamePane(S.title, paneEvents, reducedMotion);
    this.callers = new FlamePane(S.callers, paneEvents, reducedMotion);
    this.callees = new FlamePane(S.callees, paneEvents, reducedMotion);
    this.panes = [this.whole, this.callers, this.callees];
    // Callers stand on the function, callees hang from it.
    this.callers.orientation = "flame";
    this.active = this.whole;
    this.details = new Details({
      openSource: () => this.act({ do: "openSource" }),
      sandwich: () => this.act({ do: "sandwich" }),
      copyName: () => this.act({ do: "copyName" }),
      copyStack: () => this.act({ do: "copyStack" }),
      fold: () => this.act({ do: "fold" }),
    });
    this.tree = new TreeTwin({
      select: (node) => {
        this.active.select(node);
        this.selectionChanged(this.active, false);
      },
      activate: () => this.act({ do: "zoomToSelected" }),
      menu: (x, y) => this.openMenu(x, y),
      key: (event) => this.onKey(event, this.active),
    });
    this.sandwichBar = element(
      "div",
      { class: "sandwich-bar", hidden: true },
      this.sandwichTitle,
      button(...S.backToWhole, () => this.leaveSandwich()),
    );
    this.main = element(
      "main",
      { class: "main" },
      element("div", { class: "panes" }, ...this.panes.map((pane) => pane.element)),
      this.tree.element,
    );
    this.elements = [
      this.sandwichBar,
      this.main,
      element("footer", {}, this.details.element),
      this.announcer,
      this.tooltip.element,
    ];
    this.show(false);
  }

  showWhole({ data, title, builtWith }: Extract<ToWebview, { type: "data" }>, fresh: boolean): void {
    if (this.sandwichOf !== null) this.dropSandwich();
    if (fresh) this.shared = "";
    this.whole.label(S.graphLabel(clipped(title)));
    this.show(true);
    this.folds.show(this.whole, data, builtWith.options.inverted, fresh || this.whole.layout === null);
    this.dataChanged();
  }

  showSandwich({ functionName, callers, callees }: Extract<ToWebview, { type: "sandwich" }>): void {
    const same = this.sandwichOf === functionName;
    const hadFocus = document.activeElement === this.whole.canvas || document.activeElement === document.body;
    const name = clipped(functionName);
    this.sandwichOf = functionName;
    this.sandwichTitle.textContent = S.sandwichOf(name);
    this.callers.label(S.callersOf(name));
    this.callees.label(S.calleesOf(name));
    this.show(true);
    this.folds.show(this.callers, callers, true, !same);
    this.folds.show(this.callees, callees, false, !same);
    if (!same) this.active = this.callees;
    if (!same && hadFocus) this.callees.canvas.focus();
    this.dataChanged();
  }

  /** Nothing to draw. The graph before is forgotten only when another capture may come. */
  hide(forget: boolean): void {
    if (forget) {
      this.dropSandwich();
      this.whole.clear();
    }
    this.show(false);
  }

  act(action: Action): void {
    const pane = this.active;
    const { data } = pane;
    if (!data) return;
    const isRun = foldOf(data, pane.selected) !== "none";
    if (isRun && (action.do === "zoomToSelected" || action.do === "openSource")) return this.toggleFold();
    switch (action.do) {
      case "fold":
        return this.toggleFold();
      case "foldAll":
        this.folds.toggleAll();
        return this.foldsChanged();
      case "resetZoom":
        this.tooltip.hide();
        if (this.sandwichOf !== null && pane.span.right - pane.span.left >= (data.nodeTotal[0] ?? 0))
          this.leaveSandwich();
        else pane.resetZoom();
        return this.events.moved();
      case "nextMatch":
        return this.stepMatch(1);
      case "previousMatch":
        return this.stepMatch(-1);
      case "menu": {
        const { x, y } = this.tree.element.contains(document.activeElement)
          ? this.tree.placeOfSelected()
          : pane.selectedPlace();
        return this.openMenu(x, y);
      }
      case "openSource":
      case "sandwich":
      case "showInTop":
      case "showInBlame":
      case "copyName":
      case "copyStack": {
        const request = requestFor(action.do, data, pane.selected, () => this.stackOf(pane, pane.selected));
        if (request) this.events.send(request);
        else
          this.announcer.textContent =
            action.do === "openSource" ? S.noKnownSource(clipped(nameOf(data, pane.selected))) : S.selectFirst;
        return;
      }
    }
    if (actOnPane(action, pane)) this.selectionChanged(pane, true);
    if (action.do === "move") this.showTooltipAtSelection();
    this.events.moved();
  }

  private toggleFold(): void {
    if (this.folds.toggle(this.active, this.active.selected)) this.foldsChanged();
    else this.announcer.textContent = S.nothingFolded;
  }

  private foldsChanged(): void {
    this.dataChanged();
    this.selectionChanged(this.active, true);
  }

  /** With the frames that are folded or left out; a frame that stands for a run by its name, on the stack that it is called from. */
  private stackOf(pane: FlamePane, node: number): string {
    const { data, folded } = pane;
    if (!data) return "";
    if (!folded) return stackText(data, node);
    if (foldOf(data, node) === "none") return stackText(folded.whole, folded.originals[node] as number);
    return [nameOf(data, node), this.stackOf(pane, data.nodeParent[node] as number)].filter(Boolean).join("\n");
  }

  /** For the selected frame of the active graph. */
  private openMenu(x: number, y: number): void {
    const { data, selected } = this.active;
    if (!data) return;
    this.tooltip.hide();
    const items = frameMenu(data, selected, (action) => this.events.act(action));
    if (items.length > 0) openMenu(GRAPH_STRINGS.frameMenu, items, x, y);
  }

  /** Name of the selected function; null when it is none. */
  selectedFunction(): string | null {
    const { data, selected } = this.active;
    return data && isFunction(data, selected) ? nameOf(data, selected) : null;
  }

  stepMatch(step: 1 | -1): void {
    const { data, matches, selected } = this.active;
    if (!data || !matches) return;
    const node = nextMatch(data, matches, selected, step);
    if (node < 0) return;
    const { left, right } = {
      left: data.nodeStart[node] as number,
      right: (data.nodeStart[node] as number) + (data.nodeTotal[node] as number),
    };
    if (right <= this.active.span.left || left >= this.active.span.right) this.active.resetZoom();
    this.active.select(node);
    this.selectionChanged(this.active, true);
  }

  search(query: string): { text: string; isError: boolean } {
    return searchPanes(query, this.panes, this.active);
  }

  reveal(path: readonly string[]): void {
    const whole = this.folds.wholeOf(this.whole);
    if (!whole) return;
    if (this.sandwichOf !== null) this.leaveSandwich();
    const node = this.folds.unfoldTo(this.whole, findPath(createLayout(whole), path).node);
    this.dataChanged();
    this.whole.select(node);
    this.whole.zoomTo(node);
    this.selectionChanged(this.whole, true);
  }

  /** Selects where a function is heaviest that another view has selected. */
  mark(functionName: string): void {
    this.shared = functionName;
    const { data, selected } = this.whole;
    if (!data || nameOf(data, selected) === functionName) return;
    const node = heaviestFrame(data, functionName);
    if (node < 0) return;
    this.whole.select(node);
    if (this.active !== this.whole) return;
    this.details.show(data, node);
    this.tree.select(node, true);
    this.events.moved();
  }

  setOrientation(orientation: Orientation): void {
    this.whole.setOrientation(orientation);
  }

  setTheme({ palette, fontFamily }: Theme): void {
    for (const pane of this.panes) pane.setTheme(palette, fontFamily);
    this.tree.setPalette(palette);
  }

  /** Shows or hides the tree, and keeps the focus where the reader is. */
  showTree(shown: boolean): void {
    const focusInside = this.tree.element.contains(document.activeElement);
    const onCanvas = document.activeElement === this.active.canvas;
    this.tree.element.hidden = !shown;
    if (!shown && focusInside) this.active.canvas.focus();
    else if (shown && onCanvas) this.tree.focus();
  }

  place(): SavedPlace | null {
    return this.whole.place();
  }

  setPlace(place: SavedPlace): void {
    this.whole.setPlace(place);
    if (this.active === this.whole) this.dataChanged();
  }

  /** Null when there is nothing to export. */
  picture(palette: Theme["palette"]): Picture | null {
    const { layout, span, orientation } = this.active;
    return layout && { layout, span, orientation, palette };
  }

  /** Not callers and callees of one function. */
  get isWhole(): boolean {
    return this.sandwichOf === null;
  }

  get activePart(): GraphPart {
    return this.active === this.whole ? "whole" : this.active === this.callers ? "callers" : "callees";
  }

  /** @param title of the whole graph */
  titleOf(part: GraphPart, title: string): string {
    if (part === "whole" || this.sandwichOf === null) return title;
    return (part === "callers" ? S.callersOf : S.calleesOf)(this.sandwichOf);
  }

  private dataChanged(): void {
    const { layout } = this.active;
    if (!layout) return;
    this.tree.setLayout(layout, this.active.selected);
    this.details.show(layout.data, this.active.selected);
    this.events.changed();
  }

  private activate(pane: FlamePane): void {
    if (this.active === pane) return;
    this.active = pane;
    this.dataChanged();
  }

  private selectionChanged(pane: FlamePane, revealInTree: boolean): void {
    this.activate(pane);
    const { layout, selected } = pane;
    if (!layout) return;
    this.details.show(layout.data, selected);
    this.tree.select(selected, revealInTree);
    this.announcer.textContent = sentenceOf(layout.data, selected, layout.childCount[selected] ?? 0);
    this.share(layout.data, selected);
    this.events.moved();
  }

  private share(data: FlameData, node: number): void {
    const functionName = nameOf(data, node);
    if (!isFunction(data, node) || functionName === this.shared) return;
    this.shared = functionName;
    this.events.send({ type: "selected", functionName });
  }

  private painted(pane: FlamePane): void {
    const scene = pane === this.active ? pane.scene() : null;
    if (scene) this.minimap.paint(scene);
  }

  private onKey(event: KeyboardEvent, pane: FlamePane): void {
    const action = actionFor(event, pane.orientation);
    if (!action) return;
    this.activate(pane);
    event.preventDefault();
    event.stopPropagation();
    this.events.act(action);
  }

  private showTooltipAtSelection(): void {
    const { data, selected } = this.active;
    if (!data || document.activeElement !== this.active.canvas) return;
    const { x, y } = this.active.selectedPlace();
    this.tooltip.show(data, selected, x, y);
  }

  private leaveSandwich(): void {
    this.dropSandwich();
    this.events.left();
    this.show(true);
    this.dataChanged();
    this.whole.canvas.focus();
    this.events.send({ type: "closeSandwich" });
  }

  private dropSandwich(): void {
    const hadFocus = this.panes.some((pane) => pane !== this.whole && pane.canvas === document.activeElement);
    this.sandwichOf = null;
    this.active = this.whole;
    this.callers.clear();
    this.callees.clear();
    this.whole.element.hidden = false;
    if (hadFocus) this.whole.canvas.focus();
  }

  private show(shown: boolean): void {
    this.main.hidden = !shown;
    this.minimap.element.hidden = !shown;
    this.details.element.hidden = !shown;
    if (!shown) this.tooltip.hide();
    const sandwich = this.sandwichOf !== null;
    this.sandwichBar.hidden = !shown || !sandwich;
    this.whole.element.hidden = sandwich;
    this.callers.element.hidden = !sandwich;
    this.callees.element.hidden = !sandwich;
  }
}
