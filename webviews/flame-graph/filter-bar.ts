// Where filters are chosen: by name, and by node, scheduler, process and class.

import type { SampleFilter } from "../../contract/capture-answers.js";
import type { FacetLists, FacetName, ToHost, ToWebview } from "../../contract/messages/flame-graph.js";
import type { SampleClass } from "../../contract/protocol.generated.js";
import { textField, type TextField } from "../elements/controls.js";
import { element } from "../elements/dom.js";
import type { Choices } from "./choices.js";
import { FacetMenu, type FacetWhole } from "./facet-menu.js";
import { S } from "./strings.js";

const SETTLE_MS = 250;
const FACETS: readonly FacetName[] = ["nodes", "schedulers", "processes", "classes"];

export class FilterBar {
  readonly element: HTMLElement;
  private readonly focusInput: TextField;
  private readonly ignoreInput: TextField;
  private readonly menus: Record<FacetName, FacetMenu>;
  private facets: FacetLists | null = null;
  private whole: FacetWhole = { whole: 0, isOfBusy: false };
  private settling: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly choices: Choices,
    send: (message: ToHost) => void,
    leave: () => void,
  ) {
    this.focusInput = textField(S.focusLabel, S.focusPlaceholder, () => this.typed());
    this.ignoreInput = textField(S.ignoreLabel, S.ignorePlaceholder, () => this.typed());
    for (const input of [this.focusInput, this.ignoreInput]) {
      input.addEventListener("keydown", (event) => {
        if (event.key === "Enter") this.take();
        else if (event.key === "Escape") leave();
        else return;
        event.preventDefault();
      });
    }
    const find = (query: string) => send({ type: "findProcesses", query });
    this.menus = {
      nodes: new FacetMenu("nodes", { chosen: (nodes) => choices.restrict({ nodes }), find: () => {} }),
      schedulers: new FacetMenu("schedulers", {
        chosen: (schedulers) => choices.restrict({ schedulers }),
        find: () => {},
      }),
      processes: new FacetMenu("processes", { chosen: (processes) => choices.restrict({ processes }), find }),
      classes: new FacetMenu("classes", {
        chosen: (classes) => choices.restrict({ classes: classes as readonly SampleClass[] }),
        find: () => {},
      }),
    };
    const menus = FACETS.map((name) => this.menus[name]);
    this.element = element(
      "section",
      { class: "filter-bar", "aria-label": S.filterBar },
      this.focusInput,
      this.ignoreInput,
      ...menus.map((menu) => menu.button),
      ...menus.map((menu) => menu.menu),
    );
  }

  focus(): void {
    this.focusInput.focus();
  }

  showFacets({ facets, allSamples, busySamples }: Extract<ToWebview, { type: "facets" }>): void {
    this.facets = facets;
    this.whole = { whole: busySamples ?? allSamples, isOfBusy: busySamples !== undefined };
    this.show(this.choices.filter);
  }

  showFound({ query, found }: Extract<ToWebview, { type: "processes" }>): void {
    this.menus.processes.showFound(query, found);
  }

  /** Text that is being typed is not disturbed. */
  show(filter: SampleFilter): void {
    if (this.settling === undefined) {
      if (this.focusInput.value.trim() !== (filter.focus ?? "")) this.focusInput.value = filter.focus ?? "";
      if (this.ignoreInput.value.trim() !== (filter.ignore ?? "")) this.ignoreInput.value = filter.ignore ?? "";
    }
    // A capture of one VM has no nodes to choose among; a filter that names one can be taken back all the same.
    this.menus.nodes.button.hidden = (this.facets?.nodes.count ?? 0) === 0 && filter.nodes === undefined;
    for (const name of FACETS)
      this.menus[name].show(this.facets?.[name] ?? { values: [], count: 0 }, this.whole, filter[name] ?? []);
  }

  private typed(): void {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.take(), SETTLE_MS);
  }

  private take(): void {
    clearTimeout(this.settling);
    this.settling = undefined;
    this.choices.restrict({ focus: this.focusInput.value.trim(), ignore: this.ignoreInput.value.trim() });
  }
}
