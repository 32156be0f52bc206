// A share as a bar behind its figure.

import { percent, share } from "../words/figures.js";
import { element } from "./dom.js";

export function percentBar(part: number, of: number): [HTMLElement, HTMLElement] {
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", String(share(part, of)));
  return [bar, element("span", { class: "bar-figure" }, percent(part, of))];
}
