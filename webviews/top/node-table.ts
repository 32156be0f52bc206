// The figures of each node of a merged capture; a click on one shows only its functions.

import { wholeOf, type PercentOf } from "../../contract/capture-answers.js";
import type { TopNode } from "../../contract/messages/top.js";
import { element } from "../elements/dom.js";
import { count, decimal, percent } from "../words/figures.js";
import { STRINGS } from "./strings.js";

export class NodeTable {
  readonly element = element("section", { class: "nodes", "aria-label": STRINGS.nodes, hidden: true });
  readonly #rows = element("tbody", {});
  readonly #chosen: (node: string) => void;
  #shown = "";

  /** @param chosen receives the node whose functions are wanted; empty for all */
  constructor(chosen: (node: string) => void) {
    this.#chosen = chosen;
    const heads = STRINGS.nodeColumns.map((name, index) =>
      element("th", { scope: "col", class: index === 0 ? "" : "figure" }, name),
    );
    this.element.append(element("table", {}, element("thead", {}, element("tr", {}, ...heads)), this.#rows));
  }

  /** @param percentOf the base of the shares of kinds of work */
  show(nodes: readonly TopNode[], chosen: string, percentOf: PercentOf): void {
    this.element.hidden = nodes.length === 0;
    const text = JSON.stringify([nodes, chosen, percentOf]);
    if (text === this.#shown) return;
    this.#shown = text;
    // A focused button keeps the focus while figures change.
    const focused = this.element.contains(document.activeElement)
      ? document.activeElement?.getAttribute("data-node")
      : null;
    this.#rows.replaceChildren(...nodes.map((node) => this.#row(node, node.name === chosen, percentOf)));
    if (focused !== null)
      for (const made of this.#rows.querySelectorAll("button"))
        if (made.getAttribute("data-node") === focused) made.focus();
  }

  #row(
    { name, samples, busy, gc, copy, scheduler, runQueue, clockAheadMs, clockAheadAtEndMs, problem }: TopNode,
    isChosen: boolean,
    percentOf: PercentOf,
  ): HTMLElement {
    const choose = element(
      "button",
      {
        type: "button",
        class: "node",
        "data-node": name,
        "aria-pressed": String(isChosen),
        title: isChosen ? STRINGS.allNodes : STRINGS.onlyNode,
      },
      name,
    );
    choose.addEventListener("click", () => this.#chosen(isChosen ? "" : name));
    const figure = (text: string) => element("td", { class: "figure" }, text);
    const whole = wholeOf({ samples, busy }, percentOf);
    const shareOf = (some: number) => figure(whole === 0 ? "" : percent(some, whole));
    const clock = clockAheadMs === 0 ? "" : STRINGS.clock(count(Math.abs(clockAheadMs)), clockAheadMs > 0);
    const isOther = clockAheadAtEndMs !== null && clockAheadAtEndMs !== clockAheadMs;
    const atEnd = isOther ? STRINGS.clockAtEnd(count(Math.abs(clockAheadAtEndMs)), clockAheadAtEndMs > 0) : "";
    const remark = [clock, atEnd, problem].filter((text) => text !== "").join(" · ");
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, choose),
      figure(count(samples)),
      // These are always of all samples.
      figure(samples === 0 ? "" : percent(busy, samples)),
      shareOf(gc),
      shareOf(copy),
      shareOf(scheduler),
      runQueue === null
        ? figure("")
        : element(
            "td",
            { class: "figure", title: STRINGS.runQueue(count(runQueue.last), count(runQueue.most)) },
            decimal(runQueue.mean),
          ),
      element("td", {}, remark),
    );
  }
}
