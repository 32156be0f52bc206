// The places where the selected function waits, and its callees.

import type { FunctionDetail, NamedTime } from "../../contract/messages/time-spent.js";
import { element, nameText } from "../elements/dom.js";
import { STRINGS } from "./strings.js";

export class Detail {
  readonly element = element("section", { class: "detail", "aria-label": STRINGS.detail, tabindex: "0", hidden: true });

  show({ name, waits, calls }: FunctionDetail): void {
    this.element.hidden = false;
    this.element.replaceChildren(
      element("h2", {}, nameText(name)),
      element(
        "div",
        { class: "lists" },
        list(STRINGS.waitsIn, waits, STRINGS.noWaits),
        list(STRINGS.calls, calls, STRINGS.noCalls),
      ),
    );
  }

  hide(): void {
    this.element.hidden = true;
  }
}

function list(title: string, times: readonly NamedTime[], none: string): HTMLElement {
  const lines = times.map(({ name, seconds }) =>
    element("li", {}, element("span", { class: "figure" }, STRINGS.seconds(seconds)), nameText(name)),
  );
  return element(
    "div",
    {},
    element("h3", {}, title),
    lines.length === 0 ? element("p", { class: "quiet" }, none) : element("ul", {}, ...lines),
  );
}
