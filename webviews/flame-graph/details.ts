// The line under the graph: the selected frame, and the actions for it.

import type { FlameData } from "../../contract/flame-data.js";
import { clipped } from "../../contract/plain-text.js";
import { button, type Button } from "../elements/controls.js";
import { element } from "../elements/dom.js";
import { ofWhole, tooFewIn } from "../graph/graph-figures.js";
import { figuresOf, foldOf, headerOf } from "../graph/shares.js";
import { GRAPH_STRINGS } from "../graph/strings.js";
import { S } from "./strings.js";

export interface DetailsEvents {
  readonly openSource: () => void;
  readonly sandwich: () => void;
  readonly copyName: () => void;
  readonly copyStack: () => void;
  readonly fold: () => void;
}

export class Details {
  private readonly name = element("span", { class: "details-name" });
  private readonly figures = element("span", { class: "details-figures" });
  private readonly source: Button;
  private readonly fold: Button;
  private readonly sandwich: Button;
  private readonly others: readonly Button[];
  readonly element: HTMLElement;

  constructor(events: DetailsEvents) {
    this.source = button(...S.goToSource, events.openSource);
    this.fold = button(S.unfold, S.unfoldTitle, events.fold);
    this.sandwich = button(...S.sandwich, events.sandwich);
    this.others = [button(...S.copyName, events.copyName), button(...S.copyStack, events.copyStack)];
    this.element = element(
      "div",
      { class: "details", role: "group", "aria-label": S.selectedFrame },
      element("div", { class: "details-text" }, this.name, this.figures),
      element("div", { class: "details-actions" }, this.fold, this.source, this.sandwich, ...this.others),
    );
  }

  show(data: FlameData, node: number): void {
    const figures = figuresOf(data, node);
    this.name.textContent = clipped(figures.name);
    this.name.title = clipped(figures.name, 2000);
    const text = [
      figures.kind,
      figures.levels,
      `${figures.ofAll} ${ofWhole()}`,
      figures.ofParent && `${figures.ofParent} ${GRAPH_STRINGS.ofParent}`,
      figures.samples,
      `${GRAPH_STRINGS.self} ${figures.self}`,
      clipped(figures.source),
    ]
      .filter(Boolean)
      .join(" · ");
    this.figures.textContent = text;
    this.figures.title = tooFewIn(text);
    this.source.disabled = figures.source === "";
    const header = headerOf(data, node);
    this.fold.hidden = header < 0;
    this.fold.textContent = foldOf(data, header) === "open" ? S.fold : S.unfold;
    this.sandwich.disabled = node === 0 || header === node;
    for (const other of this.others) other.disabled = node === 0;
  }
}
