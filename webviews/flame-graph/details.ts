// The line under the graph: the selected frame, and what can be done with it.

import type { FlameData } from "../../extension/src/capture/flame-data.js";
import { button, element } from "./dom.js";
import { figuresOf } from "./shares.js";

export interface DetailsEvents {
  readonly openSource: () => void;
  readonly sandwich: () => void;
  readonly copyName: () => void;
  readonly copyStack: () => void;
}

export class Details {
  private readonly name = element("span", { class: "details-name" });
  private readonly figures = element("span", { class: "details-figures" });
  private readonly source: HTMLButtonElement;
  private readonly others: readonly HTMLButtonElement[];
  readonly element: HTMLElement;

  constructor(events: DetailsEvents) {
    this.source = button("Go to source", "Open the hottest line of this frame (O)", events.openSource);
    this.others = [
      button("Callers and callees", "Everything above and below this function (S)", events.sandwich),
      button("Copy name", "Copy the name (C)", events.copyName),
      button("Copy stack", "Copy the stack (Shift+C)", events.copyStack),
    ];
    this.element = element("div", { class: "details", role: "group", "aria-label": "Selected frame" },
      element("div", { class: "details-text" }, this.name, this.figures),
      element("div", { class: "details-actions" }, this.source, ...this.others));
  }

  show(data: FlameData, node: number): void {
    const figures = figuresOf(data, node);
    this.name.textContent = figures.name;
    this.name.title = figures.name;
    this.figures.textContent = [figures.kind, `${figures.ofAll} of all`, figures.ofParent && `${figures.ofParent} of parent`, figures.samples, `self ${figures.self}`, figures.source]
      .filter(Boolean).join(" · ");
    this.source.disabled = figures.source === "";
    for (const other of this.others) other.disabled = node === 0;
  }
}
