// What is above the graph: search, switches, exports, and the legend of colours.

import { FRAME_KINDS, type FlameData } from "../../contract/flame-data.js";
import type { BuildOptions, ExportFormat, Orientation } from "../../contract/messages/flame-graph.js";
import { button, setPressed, textField, toggle, type Button } from "../elements/controls.js";
import { element } from "../elements/dom.js";
import { KIND_WORDS } from "../words/frame-kinds.js";
import { S } from "./strings.js";

export interface ToolbarEvents {
  readonly search: (query: string) => void;
  readonly step: (step: 1 | -1) => void;
  readonly leaveSearch: () => void;
  readonly orientation: () => void;
  readonly option: (name: keyof BuildOptions) => void;
  readonly filters: () => void;
  readonly tree: () => void;
  readonly reset: () => void;
  readonly help: () => void;
  readonly export: (format: ExportFormat) => void;
}

export interface Switches {
  readonly options: BuildOptions;
  readonly orientation: Orientation;
  readonly treeShown: boolean;
  readonly filtersShown: boolean;
}

export class Toolbar {
  readonly searchInput;
  private readonly searchResult = element("span", { class: "search-result", role: "status" });
  private readonly orientation: Button;
  private readonly options: Record<keyof BuildOptions, Button>;
  private readonly filters: Button;
  private readonly tree: Button;
  readonly element: HTMLElement;
  readonly legend = element("ul", { class: "legend", "aria-label": S.colours });

  constructor(events: ToolbarEvents) {
    this.searchInput = textField(S.searchLabel, S.searchPlaceholder, events.search);
    this.searchInput.addEventListener("keydown", (event) => {
      if (event.key === "Enter") events.step(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") events.leaveSearch();
      else return;
      event.preventDefault();
    });
    this.orientation = toggle(...S.flame, events.orientation);
    const option = (name: keyof BuildOptions) => {
      const [label, title] = S[name];
      return toggle(label, title, () => events.option(name));
    };
    this.options = { inverted: option("inverted"), hideNative: option("hideNative"), hideKernel: option("hideKernel"), collapseRecursion: option("collapseRecursion") };
    this.filters = toggle(...S.filters, events.filters);
    this.tree = toggle(...S.tree, events.tree);
    const step = (arrow: string, label: string, key: string, by: 1 | -1) => {
      const made = button(arrow, `${label} (${key})`, () => events.step(by));
      made.setAttribute("aria-label", label);
      return made;
    };
    this.element = element(
      "div",
      { class: "toolbar", role: "toolbar", "aria-label": S.title },
      element("div", { class: "search" }, this.searchInput, step("↑", S.previousMatch, "Shift+N", -1), step("↓", S.nextMatch, "N", 1), this.searchResult),
      element(
        "div",
        { class: "switches" },
        this.orientation,
        ...Object.values(this.options),
        this.filters,
        this.tree,
        button(...S.resetZoom, events.reset),
        exportMenu(events.export),
        button(...S.keys, events.help),
      ),
    );
  }

  show({ options, orientation, treeShown, filtersShown }: Switches): void {
    for (const name of Object.keys(this.options) as (keyof BuildOptions)[]) setPressed(this.options[name], options[name]);
    setPressed(this.orientation, orientation === "flame");
    setPressed(this.filters, filtersShown);
    setPressed(this.tree, treeShown);
  }

  showSearch(text: string, isError: boolean): void {
    if (this.searchResult.textContent !== text) this.searchResult.textContent = text;
    this.searchResult.classList.toggle("error", isError);
    this.searchInput.invalid = isError;
  }

  /** Only the kinds that are there. */
  showLegend(graphs: readonly FlameData[]): void {
    // A root is no frame of the program's, whatever kind it was given.
    const there = new Set(graphs.flatMap((data) => [...new Set(data.functionKinds.filter((_, index) => index !== data.nodeFunction[0]))]));
    const items = FRAME_KINDS.flatMap((kind, index) => (there.has(index) ? [element("li", {}, element("span", { class: `swatch kind-${kind}` }), KIND_WORDS[kind])] : []));
    this.legend.replaceChildren(...items);
  }
}

/** A native list: it opens outside of a narrow panel. */
function exportMenu(chosen: (format: ExportFormat) => void): HTMLSelectElement {
  const formats = Object.entries(S.exportFormats).map(([format, label]) => element("option", { value: format }, label));
  const made = element("select", { "aria-label": S.exportLabel, title: S.exportTitle }, element("option", { value: "" }, S.exportPrompt), ...formats);
  made.addEventListener("change", () => {
    const format = made.value as ExportFormat | "";
    made.value = "";
    if (format !== "") chosen(format);
  });
  return made;
}
