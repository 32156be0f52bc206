// Which line is which node's, and its value.

import { element, nameText } from "../elements/dom.js";
import { S } from "./strings.js";
import { DASH_NAMES, dashOf } from "./track-lines.js";

export interface TrackFigure {
  readonly node: string | undefined;
  readonly figure: string;
  readonly colour: string;
  readonly hue: number;
}

export class TrackLegend {
  readonly element = element("ul", { class: "track-legend", "aria-label": S.trackNodes, hidden: true });
  #shown = "";

  show(figures: readonly TrackFigure[]): void {
    this.element.hidden = figures.length === 0;
    const shown = JSON.stringify(figures);
    // It is called with each step of the pointer.
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.element.replaceChildren(...figures.map(legendLine));
    // Of very many nodes it scrolls, which keys have to be able to do as well.
    if (this.element.scrollHeight > this.element.clientHeight) this.element.tabIndex = 0;
    else this.element.removeAttribute("tabindex");
  }
}

function legendLine({ node = "", figure, colour, hue }: TrackFigure): HTMLElement {
  const line = element("span", { class: "line-swatch" });
  line.style.borderTopColor = colour;
  line.style.borderTopStyle = DASH_NAMES[dashOf(hue)] ?? "solid";
  return element("li", {}, line, nameText(node), element("span", { class: "figure" }, figure));
}
