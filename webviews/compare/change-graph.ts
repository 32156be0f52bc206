// The flame graph of both sides: as wide as the newer side takes, coloured by the changes; with a tree of the same for
// the keyboard and screen readers.

import { NODE_CHANGES, type FlameData } from "../../contract/flame-data.js";
import { DEFAULT_SHAPE, type GraphShape, type ToHost } from "../../contract/messages/compare.js";
import type { Measure } from "../../contract/editor-module.generated.js";
import { button, setPressed, textField, toggle, type Button } from "../elements/controls.js";
import { element } from "../elements/dom.js";
import { openMenu } from "../elements/menu.js";
import { setWhole } from "../graph/graph-figures.js";
import { actionFor, type Action } from "../graph/keyboard.js";
import { problemWith } from "../graph/layout.js";
import { Minimap } from "../graph/minimap.js";
import { actOnPane } from "../graph/pane-actions.js";
import { FlamePane } from "../graph/pane.js";
import { nextMatch } from "../graph/search.js";
import { searchPanes } from "../graph/search-panes.js";
import { CHANGE_SIGNS, changeOf, isFunction, nameOf, sourceOf } from "../graph/shares.js";
import { GRAPH_STRINGS } from "../graph/strings.js";
import { onThemeChange, readTheme, reducedMotion } from "../graph/theme.js";
import { Tooltip } from "../graph/tooltip.js";
import { TreeTwin } from "../graph/tree.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { frameRows, frameSentence, frameShare } from "./frame-figures.js";
import { STRINGS } from "./strings.js";

const SWITCHES = [
  "vanished",
  "inverted",
  "collapseRecursion",
  "hideNative",
  "hideKernel",
] as const satisfies readonly (keyof GraphShape)[];

export class ChangeGraph {
  readonly element: HTMLElement;
  shape: GraphShape;
  readonly #send: (message: ToHost) => void;
  readonly #changed: () => void;
  readonly #switches: Record<(typeof SWITCHES)[number], Button>;
  readonly #treeSwitch: Button;
  readonly #search;
  readonly #searchResult = element("span", { class: "quiet", role: "status" });
  readonly #legend = element("ul", { class: "legend", "aria-label": GRAPH_STRINGS.colours });
  readonly #pane: FlamePane;
  readonly #minimap: Minimap;
  readonly #tooltip = new Tooltip((data, node) => frameRows(data, node, this.#measure));
  readonly #tree: TreeTwin;
  readonly #selected = element("p", { class: "quiet frame-line", role: "status" });
  readonly #problem = element("p", { class: "quiet", hidden: true });
  #measure: Measure = "share";
  #isNew = true;
  #treeShown = document.body.classList.contains("vscode-using-screen-reader");

  /** @param changed called when the reader wants another shape */
  constructor(saved: Partial<GraphShape> | undefined, send: (message: ToHost) => void, changed: () => void) {
    this.#send = send;
    this.#changed = changed;
    // Idle time is in no frame of a comparison.
    setWhole("busy");
    this.shape = { ...DEFAULT_SHAPE };
    for (const name of SWITCHES)
      if (typeof saved?.[name] === "boolean") this.shape = { ...this.shape, [name]: saved[name] };
    const made = SWITCHES.map(
      (name) =>
        [
          name,
          toggle(...(name === "vanished" ? STRINGS.vanished : GRAPH_STRINGS[name]), () => this.#switch(name)),
        ] as const,
    );
    this.#switches = Object.fromEntries(made) as Record<(typeof SWITCHES)[number], Button>;
    this.#treeSwitch = toggle(...GRAPH_STRINGS.tree, () => this.#showTree(!this.#treeShown));
    this.#search = textField(GRAPH_STRINGS.searchLabel, GRAPH_STRINGS.searchPlaceholder, () => this.#applySearch());
    this.#search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#step(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") this.#pane.canvas.focus();
      else return;
      event.preventDefault();
    });
    this.#pane = new FlamePane(
      STRINGS.graphLabel,
      {
        selected: () => this.#selectionChanged(true),
        hovered: (pane, node, x, y) =>
          node < 0 || !pane.data ? this.#tooltip.hide() : this.#tooltip.show(pane.data, node, x, y),
        activated: () => this.#act({ do: "zoomToSelected" }),
        openSource: () => this.#act({ do: "openSource" }),
        menu: (x, y) => this.#openMenu(x, y),
        key: (event) => this.#onKey(event),
        painted: (pane) => {
          const scene = pane.scene();
          if (scene) this.#minimap.paint(scene);
        },
        focused: () => {},
        moved: () => {},
      },
      reducedMotion,
    );
    this.#minimap = new Minimap((share) => this.#pane.centre(share));
    this.#tree = new TreeTwin(
      {
        select: (node) => {
          this.#pane.select(node);
          this.#selectionChanged(false);
        },
        activate: () => this.#act({ do: "zoomToSelected" }),
        menu: (x, y) => this.#openMenu(x, y),
        key: (event) => this.#onKey(event),
      },
      frameShare,
    );
    this.#tree.element.hidden = !this.#treeShown;
    const switches = element(
      "div",
      { class: "line" },
      ...Object.values(this.#switches),
      this.#treeSwitch,
      button(...GRAPH_STRINGS.resetZoom, () => this.#act({ do: "resetZoom" })),
    );
    this.element = element(
      "div",
      { class: "change-graph" },
      element("div", { class: "line tools" }, this.#search, this.#searchResult, switches),
      this.#legend,
      this.#problem,
      this.#minimap.element,
      element("div", { class: "graph-and-tree" }, this.#pane.element, this.#tree.element),
      this.#selected,
      this.#tooltip.element,
    );
    onThemeChange(() => this.#readTheme());
    this.#readTheme();
    this.#showSwitches();
  }

  /** The next graph is of other captures. */
  expectNew(measure: Measure): void {
    this.#measure = measure;
    this.#isNew = true;
    this.#tooltip.hide();
  }

  show(data: FlameData, shape: GraphShape): void {
    const problem = problemWith(data);
    const isEmpty = data.totalSamples === 0;
    this.#problem.hidden = problem === null && !isEmpty;
    this.#problem.textContent = problem === null ? STRINGS.noStacks : STRINGS.graphProblem(problem);
    if (problem !== null || isEmpty) return this.#pane.clear();
    this.shape = shape;
    this.#showSwitches();
    this.#pane.setData(data, this.#isNew);
    this.#isNew = false;
    const { layout } = this.#pane;
    if (layout) this.#tree.setLayout(layout, this.#pane.selected);
    this.#showLegend(data);
    this.#applySearch();
    this.#selectionChanged(false);
  }

  #switch(name: (typeof SWITCHES)[number]): void {
    this.shape = { ...this.shape, [name]: !this.shape[name] };
    this.#showSwitches();
    this.#changed();
  }

  #showSwitches(): void {
    for (const name of SWITCHES) setPressed(this.#switches[name], this.shape[name]);
    setPressed(this.#treeSwitch, this.#treeShown);
  }

  #showTree(shown: boolean): void {
    this.#treeShown = shown;
    this.#tree.element.hidden = !shown;
    this.#showSwitches();
    if (shown) this.#tree.focus();
    else this.#pane.canvas.focus();
  }

  /** Only the changes that occur. */
  #showLegend(data: FlameData): void {
    const there = new Set(data.difference?.nodeChange);
    const items = NODE_CHANGES.flatMap((change, index) =>
      there.has(index)
        ? [
            element(
              "li",
              {},
              element("span", { class: `swatch change-${change}` }),
              `${CHANGE_SIGNS[change]} ${STRINGS.frameChanges[change]}`,
            ),
          ]
        : [],
    );
    this.#legend.replaceChildren(...items, element("li", { class: "quiet" }, STRINGS.legendHelp));
  }

  #readTheme(): void {
    const { palette, fontFamily } = readTheme("changes");
    this.#pane.setTheme(palette, fontFamily);
    this.#tree.setPalette(palette);
  }

  #applySearch(): void {
    const { text, isError } = searchPanes(this.#search.value, [this.#pane], this.#pane);
    this.#searchResult.textContent = text;
    this.#search.invalid = isError;
  }

  #step(step: 1 | -1): void {
    const { data, matches, selected } = this.#pane;
    const node = data && matches ? nextMatch(data, matches, selected, step) : -1;
    if (node < 0) return;
    this.#pane.select(node);
    this.#pane.zoomTo(data?.nodeParent[node] ?? 0);
    this.#selectionChanged(true);
  }

  #selectionChanged(revealInTree: boolean): void {
    const { data, selected } = this.#pane;
    if (!data) return;
    this.#tree.select(selected, revealInTree);
    this.#selected.textContent = frameSentence(data, selected, this.#measure);
  }

  #onKey(event: KeyboardEvent): void {
    const action = actionFor(event, this.#pane.orientation);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    this.#act(action);
  }

  #act(action: Action): void {
    const { data, selected } = this.#pane;
    if (!data) return;
    switch (action.do) {
      case "resetZoom":
        return this.#pane.resetZoom();
      case "focusSearch":
        return this.#search.focus();
      case "nextMatch":
        return this.#step(1);
      case "previousMatch":
        return this.#step(-1);
      case "invert":
        return this.#switch("inverted");
      case "collapse":
        return this.#switch("collapseRecursion");
      case "tree":
        return this.#showTree(!this.#treeShown);
      case "menu": {
        const { x, y } = this.#tree.element.contains(document.activeElement)
          ? this.#tree.placeOfSelected()
          : this.#pane.selectedPlace();
        return this.#openMenu(x, y);
      }
      case "openSource":
        if (isFunction(data, selected))
          this.#send({
            type: "openFrame",
            functionName: nameOf(data, selected),
            line: changeOf(data, selected) === "gone" ? 0 : sourceOf(data, selected).line,
          });
        return;
      case "copyName":
        return this.#send({ type: "copyText", text: nameOf(data, selected) });
    }
    if (actOnPane(action, this.#pane)) this.#selectionChanged(true);
  }

  #openMenu(x: number, y: number): void {
    const { data, selected } = this.#pane;
    if (!data || selected === 0) return;
    this.#tooltip.hide();
    const open = { label: SHARED_STRINGS.openSource, keys: "Enter", run: () => this.#act({ do: "openSource" }) };
    const hasSource = sourceOf(data, selected).file !== "" && isFunction(data, selected);
    openMenu(
      GRAPH_STRINGS.frameMenu,
      [
        ...(hasSource ? [open] : []),
        { label: SHARED_STRINGS.copyName, keys: "C", run: () => this.#act({ do: "copyName" }) },
      ],
      x,
      y,
    );
  }
}
