// The figures of the frame under the pointer, or of the selected one while the graph has the focus.

import type { FlameData } from "../../contract/flame-data.js";
import { clipped } from "../../contract/plain-text.js";
import { element } from "../elements/dom.js";
import { ofWhole } from "./graph-figures.js";
import { figuresOf, levelsSuffix } from "./shares.js";
import { S } from "./strings.js";

const GAP_PX = 14;

export class Tooltip {
  // Screen readers hear the live region and the tree; this is for the eye.
  readonly element = element("div", { class: "tooltip", "aria-hidden": "true", hidden: true });

  show(data: FlameData, node: number, x: number, y: number): void {
    const figures = figuresOf(data, node);
    const rows: [string, string][] = [
      [capital(ofWhole()), figures.ofAll],
      [capital(S.ofParent), figures.ofParent],
      [S.total, figures.samples],
      [S.selfTerm, figures.self],
      [S.recursion, figures.levels],
      [S.kind, figures.kind],
      [S.source, clipped(figures.source)],
    ];
    const list = element("dl", {});
    for (const [term, value] of rows) {
      if (value !== "") list.append(element("dt", {}, term), element("dd", {}, value));
    }
    this.element.replaceChildren(element("div", { class: "tooltip-name" }, clipped(figures.name), levelsSuffix(data, node)), list);
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

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
