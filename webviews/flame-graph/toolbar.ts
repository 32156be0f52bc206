// What is above the graph: search, switches, exports, and the legend of colours.

import { FRAME_KINDS, type FlameData } from "../../extension/src/capture/flame-data.js";
import { button, element, toggle } from "./dom.js";
import type { BuildOptions, ExportFormat, Orientation } from "./messages.js";
import { KIND_WORDS } from "./shares.js";

export interface ToolbarEvents {
  readonly search: (query: string) => void;
  readonly step: (step: 1 | -1) => void;
  readonly leaveSearch: () => void;
  readonly orientation: () => void;
  readonly option: (name: keyof BuildOptions) => void;
  readonly tree: () => void;
  readonly reset: () => void;
  readonly help: () => void;
  readonly export: (format: ExportFormat) => void;
}

export class Toolbar {
  readonly searchInput = element("input", { type: "search", placeholder: "Search (regular expression)", "aria-label": "Search functions by regular expression", spellcheck: "false" });
  private readonly searchResult = element("span", { class: "search-result", role: "status" });
  private readonly orientation: HTMLButtonElement;
  private readonly options: Record<keyof BuildOptions, HTMLButtonElement>;
  private readonly tree: HTMLButtonElement;
  readonly element: HTMLElement;
  readonly legend = element("ul", { class: "legend", "aria-label": "Colours" });

  constructor(events: ToolbarEvents) {
    this.searchInput.addEventListener("input", () => events.search(this.searchInput.value));
    this.searchInput.addEventListener("keydown", (event) => {
      if (event.key === "Enter") events.step(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") events.leaveSearch();
      else return;
      event.preventDefault();
    });
    this.orientation = toggle("Flame", "Root at the bottom (I)", events.orientation);
    this.options = {
      inverted: toggle("Invert", "Callers under what they call (V)", () => events.option("inverted")),
      hideNative: toggle("Hide native", "Leave out native frames", () => events.option("hideNative")),
      hideKernel: toggle("Hide kernel", "Leave out kernel frames", () => events.option("hideKernel")),
    };
    this.tree = toggle("Tree", "Show the same as a tree (T)", events.tree);
    const format = element("select", { "aria-label": "Export", title: "Export what is shown" },
      element("option", { value: "" }, "Export…"),
      element("option", { value: "svg" }, "SVG picture"),
      element("option", { value: "folded" }, "Folded stacks"),
      element("option", { value: "speedscope" }, "speedscope"));
    format.addEventListener("change", () => {
      const chosen = format.value as ExportFormat | "";
      format.value = "";
      if (chosen !== "") events.export(chosen);
    });
    this.element = element("div", { class: "toolbar", role: "toolbar", "aria-label": "Flame graph" },
      element("div", { class: "search" }, this.searchInput,
        button("↑", "Previous match (Shift+N)", () => events.step(-1)), button("↓", "Next match (N)", () => events.step(1)), this.searchResult),
      element("div", { class: "switches" }, this.orientation, this.options.inverted, this.options.hideNative, this.options.hideKernel, this.tree,
        button("Reset zoom", "Show everything (Escape)", events.reset), format, button("Keys", "What the keys do (?)", events.help)));
    for (const [index, name] of ["Previous match", "Next match"].entries()) {
      this.element.querySelectorAll(".search button")[index]?.setAttribute("aria-label", name);
    }
  }

  show(options: BuildOptions, orientation: Orientation, treeShown: boolean): void {
    for (const name of Object.keys(this.options) as (keyof BuildOptions)[]) this.options[name].setAttribute("aria-pressed", String(options[name]));
    this.orientation.setAttribute("aria-pressed", String(orientation === "flame"));
    this.tree.setAttribute("aria-pressed", String(treeShown));
  }

  showSearch(text: string, isError: boolean): void {
    if (this.searchResult.textContent !== text) this.searchResult.textContent = text;
    this.searchResult.classList.toggle("error", isError);
    this.searchInput.setAttribute("aria-invalid", String(isError));
  }

  /** Only the kinds that are there. */
  showLegend(graphs: readonly FlameData[]): void {
    // A root is no frame of the program's, whatever kind it was given.
    const there = new Set(graphs.flatMap((data) => [...new Set(data.functionKinds.filter((_, index) => index !== data.nodeFunction[0]))]));
    const items = FRAME_KINDS.flatMap((kind, index) => (there.has(index) ? [element("li", {}, element("span", { class: `swatch kind-${kind}` }), KIND_WORDS[kind])] : []));
    this.legend.replaceChildren(...items);
  }
}
