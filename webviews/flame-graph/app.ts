// Puts the parts together: messages from the host in, what the reader does out.

import { button, element } from "./dom.js";
import { Details } from "./details.js";
import { exportFile } from "./export-file.js";
import { requestFor } from "./frame-requests.js";
import { helpDialog } from "./help.js";
import { connectHost, type Host } from "./host.js";
import { actionFor, type Action } from "./keyboard.js";
import { problemWith } from "./layout.js";
import type { BuildOptions, ExportFormat, Orientation, ToWebview } from "./messages.js";
import { Minimap } from "./minimap.js";
import { actOnPane } from "./pane-actions.js";
import { FlamePane, type PaneEvents } from "./pane.js";
import { findPath } from "./path-match.js";
import { nextMatch } from "./search.js";
import { searchPanes } from "./search-panes.js";
import { nameOf, samplesWord, sentenceOf } from "./shares.js";
import { onThemeChange, readTheme, reducedMotion } from "./theme.js";
import { Toolbar } from "./toolbar.js";
import { Tooltip } from "./tooltip.js";
import { TreeTwin } from "./tree.js";

export class App {
  private readonly host: Host;
  private options: BuildOptions = { inverted: false, hideNative: false, hideKernel: false };
  private orientation: Orientation;
  private query: string;
  private treeShown: boolean;
  private title = "Flame graph";
  private theme = readTheme();
  private sandwichOf: string | null = null;

  private readonly whole: FlamePane;
  private readonly callers: FlamePane;
  private readonly callees: FlamePane;
  private readonly panes: readonly FlamePane[];
  private active: FlamePane;
  private readonly toolbar: Toolbar;
  private readonly minimap = new Minimap((share) => this.active.centre(share));
  private readonly tooltip = new Tooltip();
  private readonly details: Details;
  private readonly tree: TreeTwin;
  private readonly help = helpDialog();
  private readonly live = element("div", { class: "announcer", role: "status", "aria-live": "polite" });
  private readonly message = element("div", { class: "message", role: "status" });
  private readonly sandwichTitle = element("span", {});
  private readonly sandwichBar: HTMLElement;
  private readonly main: HTMLElement;
  private readonly status = element("span", { class: "status" });

  constructor(root: HTMLElement) {
    this.host = connectHost((message) => this.receive(message));
    const saved = this.host.saved();
    this.orientation = saved.orientation === "flame" ? "flame" : "icicle";
    this.query = typeof saved.query === "string" ? saved.query : "";
    this.treeShown = saved.treeShown ?? document.body.classList.contains("vscode-using-screen-reader");
    const events: PaneEvents = {
      selected: (pane) => this.selectionChanged(pane, true),
      hovered: (pane, node, x, y) => (node < 0 || !pane.data ? this.tooltip.hide() : this.tooltip.show(pane.data, node, x, y)),
      openSource: () => this.act({ do: "openSource" }),
      key: (event, pane) => this.onKey(event, pane),
      painted: (pane) => this.painted(pane),
      focused: (pane) => this.activate(pane),
    };
    this.whole = new FlamePane("Flame graph", events, reducedMotion);
    this.callers = new FlamePane("Callers", events, reducedMotion);
    this.callees = new FlamePane("Callees", events, reducedMotion);
    this.panes = [this.whole, this.callers, this.callees];
    // Callers stand on the function, callees hang from it.
    this.callers.orientation = "flame";
    this.active = this.whole;
    this.whole.setOrientation(this.orientation);
    this.toolbar = new Toolbar({
      search: (query) => this.setQuery(query),
      step: (step) => this.stepMatch(step),
      leaveSearch: () => this.active.canvas.focus(),
      orientation: () => this.act({ do: "orientation" }),
      option: (name) => this.askOption(name),
      tree: () => this.act({ do: "tree" }),
      reset: () => this.act({ do: "resetZoom" }),
      help: () => this.help.showModal(),
      export: (format) => this.exportAs(format),
    });
    this.details = new Details({
      openSource: () => this.act({ do: "openSource" }),
      sandwich: () => this.act({ do: "sandwich" }),
      copyName: () => this.act({ do: "copyName" }),
      copyStack: () => this.act({ do: "copyStack" }),
    });
    this.tree = new TreeTwin({
      select: (node) => {
        this.active.select(node);
        this.selectionChanged(this.active, false);
      },
      activate: (node) => this.active.zoomTo(node),
      key: (event) => this.onKey(event, this.active),
    });
    this.sandwichBar = element("div", { class: "sandwich-bar", hidden: true }, this.sandwichTitle, button("Back to the whole graph", "Close callers and callees (Escape)", () => this.closeSandwich()));
    this.main = element("main", { class: "main" }, element("div", { class: "panes" }, this.whole.element, this.callers.element, this.callees.element), this.tree.element);
    const legendLine = element("div", { class: "legend-line" }, this.toolbar.legend, this.status);
    const header = element("header", {}, element("h1", { class: "unseen" }, "Flame graph"), this.toolbar.element, legendLine, this.minimap.element, this.sandwichBar);
    root.append(header, this.message, this.main, element("footer", {}, this.details.element), this.live, this.tooltip.element, this.help);
    onThemeChange(() => this.readTheme());
    this.readTheme();
    this.toolbar.searchInput.value = this.query;
    this.say("Loading…", true);
    this.showSwitches();
    addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f") this.handle(event, { do: "focusSearch" });
    });
    this.host.send({ type: "ready" });
  }

  private receive(message: ToWebview): void {
    switch (message.type) {
      case "data": {
        const problem = problemWith(message.data);
        if (problem) return this.say(`This capture cannot be drawn: ${problem}.`, false);
        if (message.data.totalSamples === 0 || message.data.nodeFunction.length === 0) return this.say("No samples yet.", message.live);
        // The same stacks upside down or without some frames are other paths: a place is kept where it still exists.
        this.options = message.options;
        this.title = message.title;
        this.status.textContent = `${message.title} · ${samplesWord(message.data.totalSamples)}${message.live ? " · live" : ""}`;
        const known = this.whole.layout !== null;
        this.message.hidden = true;
        this.whole.label(`Flame graph of ${message.title}. Arrow keys move, Enter zooms, question mark lists the keys.`);
        this.showBody(true);
        this.whole.setData(message.data, !known);
        if (this.active === this.whole) this.dataChanged();
        break;
      }
      case "sandwich": {
        const problem = problemWith(message.callers) ?? problemWith(message.callees);
        if (problem) return this.say(`Callers and callees cannot be drawn: ${problem}.`, false);
        const same = this.sandwichOf === message.functionName;
        const hadFocus = document.activeElement === this.whole.canvas || document.activeElement === document.body;
        this.sandwichOf = message.functionName;
        this.sandwichTitle.textContent = `Callers (above) and callees (below) of ${message.functionName}`;
        this.message.hidden = true;
        this.callers.label(`Callers of ${message.functionName}`);
        this.callees.label(`Callees of ${message.functionName}`);
        this.showBody(true);
        this.callers.setData(message.callers, !same);
        this.callees.setData(message.callees, !same);
        if (!same) this.active = this.callees;
        if (!same && hadFocus) this.callees.canvas.focus();
        this.dataChanged();
        break;
      }
      case "loading":
        this.say(message.text, true);
        break;
      case "empty":
        this.say(message.text, false);
        break;
      case "reveal":
        this.reveal(message.path);
        break;
      case "search":
        this.toolbar.searchInput.value = message.query;
        this.setQuery(message.query);
        break;
    }
  }

  private dataChanged(): void {
    const { layout } = this.active;
    if (!layout) return;
    this.toolbar.showLegend(this.panes.flatMap((pane) => (pane.element.hidden || !pane.data ? [] : [pane.data])));
    this.showSwitches();
    this.applySearch();
    this.tree.setLayout(layout, this.active.selected);
    this.details.show(layout.data, this.active.selected);
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
    if (revealInTree) this.tree.select(selected, true);
    else this.tree.select(selected, false);
    this.live.textContent = sentenceOf(layout.data, selected, layout.childCount[selected] ?? 0);
  }

  private painted(pane: FlamePane): void {
    const scene = pane === this.active ? pane.scene() : null;
    if (scene) this.minimap.paint(scene);
  }

  private onKey(event: KeyboardEvent, pane: FlamePane): void {
    const action = actionFor(event, pane.orientation);
    if (!action) return;
    this.activate(pane);
    this.handle(event, action);
  }

  private handle(event: KeyboardEvent, action: Action): void {
    event.preventDefault();
    event.stopPropagation();
    this.act(action);
  }

  private act(action: Action): void {
    const pane = this.active;
    const { data } = pane;
    switch (action.do) {
      case "focusSearch":
        this.toolbar.searchInput.focus();
        return this.toolbar.searchInput.select();
      case "help":
        return this.help.showModal();
      case "invert":
        return this.askOption("inverted");
      case "tree":
        return this.toggleTree();
      case "orientation":
        this.orientation = this.orientation === "icicle" ? "flame" : "icicle";
        this.whole.setOrientation(this.orientation);
        return this.showSwitches();
    }
    if (!data) return;
    switch (action.do) {
      case "resetZoom":
        this.tooltip.hide();
        if (this.sandwichOf !== null && this.isWhole(pane)) this.closeSandwich();
        else pane.resetZoom();
        return;
      case "nextMatch":
        return this.stepMatch(1);
      case "previousMatch":
        return this.stepMatch(-1);
      case "openSource":
      case "sandwich":
      case "copyName":
      case "copyStack": {
        const request = requestFor(action.do, data, pane.selected);
        if (request) this.host.send(request);
        else this.live.textContent = action.do === "openSource" ? `${nameOf(data, pane.selected)} has no known source` : "Select a function first";
        return;
      }
    }
    if (actOnPane(action, pane)) this.selectionChanged(pane, true);
    if (action.do === "move") this.showTooltipAtSelection();
  }

  private isWhole(pane: FlamePane): boolean {
    return pane.span.right - pane.span.left >= (pane.data?.nodeTotal[0] ?? 0);
  }

  private showTooltipAtSelection(): void {
    const { data, selected } = this.active;
    if (!data || document.activeElement !== this.active.canvas) return;
    const { x, y } = this.active.selectedPlace();
    this.tooltip.show(data, selected, x, y);
  }

  private askOption(name: keyof BuildOptions): void {
    this.options = { ...this.options, [name]: !this.options[name] };
    this.showSwitches();
    this.host.send({ type: "options", options: this.options });
  }

  private toggleTree(): void {
    const focusInside = this.tree.element.contains(document.activeElement);
    this.treeShown = !this.treeShown;
    this.showSwitches();
    if (focusInside) this.active.canvas.focus();
    else if (this.treeShown && document.activeElement === this.active.canvas) this.tree.focus();
  }

  private showSwitches(): void {
    this.toolbar.show(this.options, this.orientation, this.treeShown);
    this.tree.element.hidden = !this.treeShown;
    this.host.save({ orientation: this.orientation, query: this.query, treeShown: this.treeShown });
  }

  private setQuery(query: string): void {
    this.query = query;
    this.applySearch();
    this.showSwitches();
  }

  private applySearch(): void {
    const { text, isError } = searchPanes(this.query, this.panes, this.active);
    this.toolbar.showSearch(text, isError);
  }

  private stepMatch(step: 1 | -1): void {
    const { data, matches, selected } = this.active;
    if (!data || !matches) return;
    const node = nextMatch(data, matches, selected, step);
    if (node < 0) return;
    const { left, right } = { left: data.nodeStart[node] as number, right: (data.nodeStart[node] as number) + (data.nodeTotal[node] as number) };
    if (right <= this.active.span.left || left >= this.active.span.right) this.active.resetZoom();
    this.active.select(node);
    this.selectionChanged(this.active, true);
  }

  private reveal(path: readonly string[]): void {
    const { layout } = this.whole;
    if (!layout) return;
    if (this.sandwichOf !== null) this.closeSandwich();
    const { node } = findPath(layout, path);
    this.whole.select(node);
    this.whole.zoomTo(node);
    this.selectionChanged(this.whole, true);
  }

  private closeSandwich(): void {
    this.sandwichOf = null;
    this.active = this.whole;
    this.callers.clear();
    this.callees.clear();
    this.showBody(true);
    this.dataChanged();
    this.whole.canvas.focus();
    this.host.send({ type: "closeSandwich" });
  }

  private exportAs(format: ExportFormat): void {
    const { layout, span, orientation } = this.active;
    if (!layout) return;
    const title = this.sandwichOf === null ? this.title : this.active === this.callers ? `callers of ${this.sandwichOf}` : `callees of ${this.sandwichOf}`;
    this.host.send({ type: "export", format, ...exportFile(format, { layout, title, span, orientation, palette: this.theme.palette }) });
  }

  private say(text: string, isBusy: boolean): void {
    this.message.textContent = text;
    this.message.hidden = false;
    this.message.classList.toggle("busy", isBusy);
    this.showBody(false);
  }

  private showBody(shown: boolean): void {
    this.main.hidden = !shown;
    this.minimap.element.hidden = !shown;
    this.details.element.hidden = !shown;
    const sandwich = this.sandwichOf !== null;
    this.sandwichBar.hidden = !shown || !sandwich;
    this.whole.element.hidden = sandwich;
    this.callers.element.hidden = !sandwich;
    this.callees.element.hidden = !sandwich;
  }

  private readTheme(): void {
    this.theme = readTheme();
    for (const pane of this.panes) pane.setTheme(this.theme.palette, this.theme.fontFamily);
  }
}
