// One figure of the node at the top of a page: its name, its value, and more where the pointer rests.

import { element } from "./dom.js";

export function nodeFigure(name: string, help: string, ...value: (Node | string)[]): HTMLElement {
  return element("div", { class: "node-figure", title: help }, element("dt", {}, name), element("dd", {}, ...value));
}

/** A text that the user should notice. */
export function marked(...text: (Node | string)[]): HTMLElement {
  return element("span", { class: "node-marked" }, ...text);
}
