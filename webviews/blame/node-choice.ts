// Of a merged capture: the node whose samples count.

import { element } from "../elements/dom.js";
import { asFilter } from "../elements/filter-text.js";
import { singleSelect } from "../elements/single-select.js";
import { STRINGS } from "./strings.js";

export class NodeChoice {
  readonly element = element("span", { class: "line", hidden: true });
  readonly #chosen: (node: string) => void;
  #shown = "";

  /** @param chosen receives the node; empty for all */
  constructor(chosen: (node: string) => void) {
    this.#chosen = chosen;
  }

  show(nodes: readonly string[], node: string): void {
    this.element.hidden = nodes.length === 0;
    const text = JSON.stringify([nodes, node]);
    if (text === this.#shown || nodes.length === 0) return;
    this.#shown = text;
    // The focus stays on it.
    const isFocused = this.element.contains(document.activeElement);
    const select = asFilter(
      singleSelect(
        STRINGS.nodes,
        [["", STRINGS.allNodes], ...nodes.map((name) => [name, name] as const)],
        node,
        this.#chosen,
      ),
    );
    this.element.replaceChildren(select);
    if (isFocused) select.focus();
  }
}
