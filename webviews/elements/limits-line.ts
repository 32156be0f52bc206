// The line of a VM whose own figures are not the whole truth.

import type { NodeResult } from "../../contract/protocol.generated.js";
import { limitsText } from "../words/limits-text.js";
import { element } from "./dom.js";

export class LimitsLine {
  readonly element = element("p", { class: "limits-line", hidden: true });

  /** @param node null when nothing is known (any more) */
  show(node: NodeResult | null): void {
    const text = node === null ? "" : limitsText(node);
    this.element.hidden = text === "";
    this.element.textContent = text;
  }
}
