// The line of a VM whose own figures are not the whole truth.

import { limitsText, type Limits } from "../words/limits-text.js";
import { element } from "./dom.js";

export class LimitsLine {
  readonly element = element("p", { class: "limits-line", hidden: true });

  /** @param limits null when nothing is known (any more) */
  show(limits: Limits | null): void {
    this.showText(limits === null ? "" : limitsText(limits));
  }

  showText(text: string): void {
    this.element.hidden = text === "";
    this.element.textContent = text;
  }
}
