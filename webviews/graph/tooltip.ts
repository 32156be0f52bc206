// The figures of the frame under the pointer, or of the selected one while the graph has the focus.

import type { FlameData } from "../../contract/flame-data.js";
import { clipped } from "../../contract/plain-text.js";
import { element } from "../elements/dom.js";
import { ofWhole } from "./graph-figures.js";
import { figuresOf, foldMark, levelsSuffix, nameOf } from "./shares.js";
import { GRAPH_STRINGS } from "./strings.js";

const GAP_PX = 14;

export type TooltipRow = readonly [term: string, value: string];

export class Tooltip {
  // Screen readers read the live region and the tree; this is for the eye.
  readonly element = element("div", { class: "tooltip", "aria-hidden": "true", hidden: true });

  /** @param rowsOf the figures of a node; empty ones are left out */
  constructor(private readonly rowsOf: (data: FlameData, node: number) => readonly TooltipRow[] = oneSide) {}

  show(data: FlameData, node: number, x: number, y: number): void {
    const list = element("dl", {});
    for (const [term, value] of this.rowsOf(data, node)) {
      if (value !== "") list.append(element("dt", {}, term), element("dd", {}, value));
    }
    this.element.replaceChildren(
      element(
        "div",
        { class: "tooltip-name" },
        foldMark(data, node),
        clipped(nameOf(data, node)),
        levelsSuffix(data, node),
      ),
      list,
    );
    this.element.hidden = false;
    const { offsetWidth, offsetHeight } = this.element;
    const left = x + GAP_PX + offsetWidth > innerWidth ? x - GAP_PX - offsetWidth : x + GAP_PX;
    const top = y + GAP_PX + offsetHeight > innerHeight ? y - GAP_PX - offsetHeight : y + GAP_PX;
    this.element.style.left = `${Math.max(left, 4)}px`;
    this.element.style.top = `${Math.max(top, 4)}px`;
  }

  hide(): void {
    this.element.hidden = true;
  }
}

function oneSide(data: FlameData, node: number): readonly TooltipRow[] {
  const figures = figuresOf(data, node);
  return [
    [capital(ofWhole()), figures.ofAll],
    [capital(GRAPH_STRINGS.ofParent), figures.ofParent],
    [GRAPH_STRINGS.total, figures.samples],
    [GRAPH_STRINGS.selfTerm, figures.self],
    [GRAPH_STRINGS.recursion, figures.levels],
    [GRAPH_STRINGS.kind, figures.kind],
    [GRAPH_STRINGS.source, clipped(figures.source)],
  ];
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
