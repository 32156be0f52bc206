// The bar above the graph: search, switches, exports, and the legend of colours.

import { FRAME_KINDS, GROUPINGS, type FlameData, type GroupBy } from "../../contract/flame-data.js";
import type { BuildOptions, BuildSwitch, Orientation } from "../../contract/messages/flame-graph.js";
import { setPressed, textField, type Button } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { iconButton, iconToggle, underIcon, type Icon } from "../elements/icons.js";
import type { MenuItem } from "../elements/menu.js";
import { OneRow, type RowControl } from "../elements/one-row.js";
import { KIND_WORDS } from "../words/frame-kinds.js";
import type { ExportChoice } from "./export-choices.js";
import { huesOf, vmColour, vmsOf } from "../graph/colour.js";
import { isGroup } from "../graph/shares.js";
import { GRAPH_STRINGS } from "../graph/strings.js";
import { S } from "./strings.js";

/** More names than these leave no room for the graph. */
const MOST_IN_LEGEND = 16;

export interface ToolbarEvents {
  readonly search: (query: string) => void;
  readonly step: (step: 1 | -1) => void;
  readonly leaveSearch: () => void;
  readonly orientation: () => void;
  readonly option: (name: BuildSwitch) => void;
  readonly group: (groupBy: GroupBy) => void;
  readonly filters: () => void;
  readonly foldAll: () => void;
  readonly tree: () => void;
  readonly reset: () => void;
  readonly help: () => void;
  readonly export: (choice: ExportChoice) => void;
}

export interface Switches {
  readonly options: BuildOptions;
  readonly orientation: Orientation;
  readonly treeShown: boolean;
  readonly filtersShown: boolean;
  readonly unfoldAll: boolean;
}

export class Toolbar {
  readonly searchInput;
  private readonly searchResult = element("span", { class: "search-result", role: "status" });
  private readonly orientation: Button;
  private readonly options: Record<BuildSwitch, Button>;
  private readonly group: HTMLSelectElement;
  private readonly filters: Button;
  private readonly tree: Button;
  private readonly unfoldAll: Button;
  private readonly row: OneRow;
  readonly element: HTMLElement;
  readonly legend = element("ul", { class: "legend", "aria-label": GRAPH_STRINGS.colours });

  constructor(events: ToolbarEvents) {
    this.searchInput = textField(GRAPH_STRINGS.searchLabel, GRAPH_STRINGS.searchPlaceholder, events.search);
    this.searchInput.addEventListener("keydown", (event) => {
      if (event.key === "Enter") events.step(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") events.leaveSearch();
      else return;
      event.preventDefault();
    });
    const option = (name: BuildSwitch) => iconToggle(name, ...GRAPH_STRINGS[name], () => events.option(name));
    this.orientation = iconToggle("flame", ...S.flame, events.orientation);
    this.options = {
      inverted: option("inverted"),
      hideNative: option("hideNative"),
      hideKernel: option("hideKernel"),
      collapseRecursion: option("collapseRecursion"),
    };
    this.filters = iconToggle("filters", ...S.filters, events.filters);
    this.group = groupMenu(events.group);
    this.tree = iconToggle("tree", ...GRAPH_STRINGS.tree, events.tree);
    this.unfoldAll = iconToggle("unfoldAll", ...S.unfoldAll, events.foldAll);
    const step = (icon: Icon, label: string, key: string, by: 1 | -1) =>
      iconButton(icon, label, `${label} (${key})`, () => events.step(by));
    this.element = element(
      "div",
      { class: "toolbar", role: "toolbar", "aria-label": S.title },
      this.searchInput,
      this.searchResult,
      step("previous", S.previousMatch, "Shift+N", -1),
      step("next", S.nextMatch, "N", 1),
    );
    // Those that are last have to go first where there is little room.
    this.row = new OneRow(
      this.element,
      [
        pressed(this.filters),
        pressed(this.unfoldAll),
        pressed(this.tree),
        pressed(iconButton("resetZoom", ...GRAPH_STRINGS.resetZoom, events.reset)),
        listed("group", this.group),
        ...[this.orientation, ...Object.values(this.options)].map(pressed),
        listed("export", exportMenu(events.export)),
        pressed(iconButton("keys", ...S.keys, events.help)),
      ],
      S.more,
    );
  }

  show({ options, orientation, treeShown, filtersShown, unfoldAll }: Switches): void {
    this.group.value = options.groupBy;
    for (const name of Object.keys(this.options) as BuildSwitch[]) setPressed(this.options[name], options[name]);
    setPressed(this.orientation, orientation === "flame");
    setPressed(this.filters, filtersShown);
    setPressed(this.tree, treeShown);
    setPressed(this.unfoldAll, unfoldAll);
  }

  /** Only a capture of several VMs has nodes to group by. */
  offerNodes(offered: boolean): void {
    for (const option of this.group.options)
      if (option.value === ("node" satisfies GroupBy)) option.hidden = option.disabled = !offered;
  }

  /** The groupings that can be chosen now. */
  get groupings(): readonly GroupBy[] {
    return GROUPINGS.filter((groupBy) =>
      [...this.group.options].some(({ value, disabled }) => value === groupBy && !disabled),
    );
  }

  /** Callers and callees of one function are not grouped. */
  allowGrouping(allowed: boolean): void {
    this.group.disabled = !allowed;
  }

  /** Not in profiles of other programs. */
  offerFolding(offered: boolean): void {
    if (this.unfoldAll.hidden !== offered) return;
    this.unfoldAll.hidden = !offered;
    this.row.fit();
  }

  showSearch(text: string, isError: boolean): void {
    if (this.searchResult.textContent !== text) {
      this.searchResult.textContent = text;
      this.row.fit();
    }
    this.searchResult.classList.toggle("error", isError);
    this.searchInput.invalid = isError;
  }

  /** Only the kinds that are there; in a graph by node, the nodes. */
  showLegend(graphs: readonly FlameData[]): void {
    const byNode = graphs.find(({ groupedBy }) => groupedBy === "node");
    if (byNode !== undefined) {
      const hues = huesOf(byNode);
      const vms = vmsOf(byNode).map((name) => {
        const swatch = element("span", { class: "swatch" });
        swatch.style.backgroundColor = vmColour(hues.get(name) ?? 0);
        return element("li", {}, swatch, nameText(name));
      });
      return this.legend.replaceChildren(
        ...vms.slice(0, MOST_IN_LEGEND),
        ...(vms.length > MOST_IN_LEGEND ? [element("li", {}, "…")] : []),
      );
    }
    const there = new Set(graphs.flatMap((data) => [...kindsThere(data)]));
    const item = (kind: string, words: string) =>
      element("li", {}, element("span", { class: `swatch kind-${kind}` }), words);
    const showsOwn = graphs.some(({ functionIsOwn }) => functionIsOwn.includes(1));
    const items = FRAME_KINDS.flatMap((kind, index) => {
      if (!there.has(index)) return [];
      return kind === "erlang" && showsOwn
        ? [item(kind, S.ownCode), item("not-own", S.notOwnCode)]
        : [item(kind, KIND_WORDS[kind])];
    });
    this.legend.replaceChildren(...items);
  }
}

/** The root and groups are no frames of the program's, whatever kind they were given. */
function kindsThere(data: FlameData): Set<number> {
  const noFrames = new Set([data.nodeFunction[0]]);
  for (let node = 1; data.groupedBy !== "none" && node < data.nodeDepth.length; node++)
    if (isGroup(data, node)) noFrames.add(data.nodeFunction[node]);
  return new Set(data.functionKinds.filter((_, index) => !noFrames.has(index)));
}

function pressed(made: Button): RowControl {
  const entry = (): MenuItem => {
    const label = made.getAttribute("aria-label") ?? "";
    const keys = /\(([^()]+)\)$/.exec(made.title)?.[1] ?? "";
    const on = made.getAttribute("aria-pressed");
    return { label, keys, ...(on === null ? {} : { checked: on === "true" }), run: () => made.click() };
  };
  return { element: made, entries: () => [entry()] };
}

/** A list whose choices are entries of the menu. */
function listed(icon: Icon, list: HTMLSelectElement): RowControl {
  const choose = (value: string) => {
    list.value = value;
    list.dispatchEvent(new Event("change"));
  };
  const entries = (): MenuItem[] =>
    [...list.options]
      .filter(({ value, disabled }) => value !== "" && !disabled && !list.disabled)
      .map(({ value, text }) => ({
        label: `${list.ariaLabel ?? ""}: ${text}`,
        keys: "",
        ...(list.value === "" ? {} : { checked: list.value === value }),
        run: () => choose(value),
      }));
  return { element: underIcon(icon, list), entries };
}

function groupMenu(chosen: (groupBy: GroupBy) => void): HTMLSelectElement {
  const made = element(
    "select",
    { "aria-label": S.groupLabel, title: S.groupTitle },
    ...GROUPINGS.map((groupBy) => element("option", { value: groupBy }, S.groupings[groupBy])),
  );
  made.addEventListener("change", () => chosen(made.value as GroupBy));
  return made;
}

function exportMenu(chosen: (choice: ExportChoice) => void): HTMLSelectElement {
  const choices = Object.entries(S.exportChoices).map(([choice, label]) => element("option", { value: choice }, label));
  const made = element(
    "select",
    { "aria-label": S.exportLabel, title: S.exportTitle },
    element("option", { value: "" }, S.exportPrompt),
    ...choices,
  );
  made.addEventListener("change", () => {
    const choice = made.value as ExportChoice | "";
    made.value = "";
    if (choice !== "") chosen(choice);
  });
  return made;
}
