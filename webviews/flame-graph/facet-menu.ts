// A drop-down to pick values of one kind: samples and share beside each, search where there are many.

import type { Facet } from "../../contract/capture-answers.js";
import type { FacetList, FacetName } from "../../contract/messages/flame-graph.js";
import { clipped } from "../../contract/plain-text.js";
import { isWork } from "../../contract/sample-classes.js";
import { button, checkbox, textField, type Button, type Checkbox } from "../elements/controls.js";
import { element } from "../elements/dom.js";
import { count } from "../words/figures.js";
import { valueWord } from "./filter-words.js";
import { percent } from "../graph/graph-figures.js";
import { FACET_WORDS, S } from "./strings.js";

const SEARCH_FROM = 12;
const EDGE_PX = 8;

interface Row {
  readonly box: Checkbox;
  readonly figures: HTMLElement;
}

export interface FacetMenuEvents {
  readonly chosen: (values: readonly string[]) => void;
  /** Those in the list are not all there are: the host looks for others. */
  readonly find: (query: string) => void;
}

/** The base of 100 %: samples, and whether idle ones are none of them. */
export interface FacetWhole {
  readonly whole: number;
  readonly isOfBusy: boolean;
}

export class FacetMenu {
  readonly button: Button;
  readonly menu: HTMLElement;
  private readonly search;
  private readonly list = element("div", { class: "facet-list", role: "group" });
  private readonly note = element("span", { class: "facet-note", role: "status" });
  private rows = new Map<string, Row>();
  private known: FacetList = { values: [], count: 0 };
  private found: { readonly query: string; readonly list: FacetList } | null = null;
  private chosen: readonly string[] = [];
  /** Samples that are 100 %. */
  private whole = 0;
  private isOfBusy = false;
  private wasOpen = false;

  constructor(
    private readonly name: FacetName,
    private readonly events: FacetMenuEvents,
  ) {
    const words = FACET_WORDS[name];
    this.button = button(words.title, words.title, () => (this.wasOpen ? this.menu.hidePopover() : this.#open()));
    this.button.setAttribute("aria-haspopup", "dialog");
    this.button.setAttribute("aria-expanded", "false");
    // A press outside closes the menu before the click comes, and would then open it again.
    this.button.addEventListener("pointerdown", () => (this.wasOpen = this.menu.matches(":popover-open")));
    this.button.addEventListener("keydown", () => (this.wasOpen = this.menu.matches(":popover-open")), {
      capture: true,
    });
    this.list.setAttribute("aria-label", words.title);
    this.search = textField(words.search, words.search, (query) => this.#onSearch(query));
    const foot = element(
      "div",
      { class: "facet-foot" },
      this.note,
      button(S.clear, S.clear, () => this.#choose([])),
      button(S.close, S.close, () => this.menu.hidePopover()),
    );
    this.menu = element(
      "div",
      { class: "facet-menu", popover: "auto", role: "dialog", "aria-label": words.title },
      this.search,
      this.list,
      foot,
    );
    this.menu.addEventListener("toggle", () =>
      this.button.setAttribute("aria-expanded", String(this.menu.matches(":popover-open"))),
    );
    this.show({ values: [], count: 0 }, { whole: 0, isOfBusy: false }, []);
  }

  /** While the menu is open its rows keep their places: only figures change, and new values come last. */
  show(known: FacetList, { whole, isOfBusy }: FacetWhole, chosen: readonly string[]): void {
    this.known = known;
    this.whole = whole;
    this.isOfBusy = isOfBusy;
    this.chosen = chosen;
    const { title } = FACET_WORDS[this.name];
    this.button.textContent = `${chosen.length === 0 ? S.menuAll(title) : S.menuSome(title, count(chosen.length), count(known.count))} ▾`;
    if (this.menu.matches(":popover-open")) this.#refresh();
  }

  /** An answer to `find`. */
  showFound(query: string, list: FacetList): void {
    if (query !== this.search.value) return;
    this.found = { query, list };
    this.#rebuild();
  }

  #open(): void {
    this.search.value = "";
    this.found = null;
    this.search.hidden = this.known.count < SEARCH_FROM;
    this.#rebuild();
    this.menu.showPopover();
    const { left, bottom } = this.button.getBoundingClientRect();
    this.menu.style.left = `${Math.max(Math.min(left, innerWidth - this.menu.offsetWidth - EDGE_PX), EDGE_PX)}px`;
    this.menu.style.top = `${bottom + 2}px`;
    this.menu.style.maxHeight = `${Math.max(innerHeight - bottom - EDGE_PX - 2, 120)}px`;
    const first = this.search.hidden ? [...this.rows.values()][0]?.box : this.search;
    // A new element can take the focus once it has drawn itself.
    void first?.updateComplete.then(() => first.focus());
  }

  #onSearch(query: string): void {
    this.found = null;
    if (query.trim() !== "" && this.known.values.length < this.known.count) {
      this.note.textContent = S.searching;
      this.events.find(query);
    } else {
      this.#rebuild();
    }
  }

  /** Chosen values first: they may be far down, or gone from a list of the largest. */
  #values(): readonly Facet[] {
    const query = this.search.value.trim().toLowerCase();
    const values = this.found?.list.values ?? this.known.values;
    const fitting =
      query === "" || this.found
        ? values
        : values.filter(({ value }) => this.#word(value).toLowerCase().includes(query));
    if (query !== "") return fitting;
    const known = new Map(values.map((facet) => [facet.value, facet]));
    const first = this.chosen.map((value) => known.get(value) ?? { value, samples: -1 });
    return [...first, ...fitting.filter(({ value }) => !this.chosen.includes(value))];
  }

  #rebuild(): void {
    this.rows = new Map();
    this.list.replaceChildren();
    this.#refresh();
  }

  #refresh(): void {
    const values = this.#values();
    for (const { value, samples } of values) {
      const row = this.rows.get(value) ?? this.#add(value);
      const figures = samples < 0 ? "" : this.#figures(value, samples);
      if (row.figures.textContent !== figures) row.figures.textContent = figures;
    }
    for (const [value, { box }] of this.rows) box.checked = this.chosen.includes(value);
    const { values: all, count: there } = this.found?.list ?? this.known;
    this.note.textContent =
      values.length === 0 ? S.nothingFound : all.length < there ? S.shownOf(count(all.length), count(there)) : "";
  }

  /** Idle samples are no part of the busy ones. */
  #figures(value: string, samples: number): string {
    const isPart = samples <= this.whole && (this.name !== "classes" || isWork(value) || !this.isOfBusy);
    return isPart ? `${count(samples)} · ${percent(samples, this.whole)}` : count(samples);
  }

  #add(value: string): Row {
    const box = checkbox(clipped(this.#word(value), 200), "", (checked) =>
      this.#choose(checked ? [...this.chosen, value] : this.chosen.filter((other) => other !== value)),
    );
    box.checked = this.chosen.includes(value);
    const figures = element("span", { class: "facet-figures" });
    const row = { box, figures };
    this.rows.set(value, row);
    this.list.append(element("div", { class: "facet-row" }, box, figures));
    return row;
  }

  #choose(values: readonly string[]): void {
    this.chosen = values;
    for (const [value, { box }] of this.rows) box.checked = values.includes(value);
    this.events.chosen(values);
  }

  #word(value: string): string {
    return valueWord(this.name, value);
  }
}
