// A share as a bar behind its figure.

import { percent, share } from "../words/figures.js";
import { element } from "./dom.js";

/**
 * @param full the part that has a bar of full length; without: all
 * @param figure the share as it is shown
 */
export function percentBar(
  part: number,
  of: number,
  full = of,
  figure = percent(part, of),
): [HTMLElement, HTMLElement] {
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", String(share(part, full)));
  return [bar, element("span", { class: "bar-figure" }, figure)];
}
