// The part of a page about a VM in a restored window: nothing is read before the user requests it.

import { NODE_WORDS } from "../words/node-words.js";
import { button, type Button } from "./controls.js";
import { element } from "./dom.js";

export class RestoredBox {
  readonly element: HTMLElement;
  readonly #lookAgain: Button;

  constructor(lookAgain: () => void) {
    this.#lookAgain = button(NODE_WORDS.lookAgain, NODE_WORDS.lookAgainHelp, lookAgain, true);
    this.element = element(
      "section",
      { class: "restored-box", "aria-label": NODE_WORDS.restoredLabel, hidden: true },
      element("p", { role: "status" }, NODE_WORDS.restored),
      element("div", { class: "line" }, this.#lookAgain),
    );
  }

  /** @param hadFocus whether the reader had just pressed its button */
  show(hadFocus: boolean): void {
    this.element.hidden = false;
    if (hadFocus) this.#lookAgain.focus();
  }

  hide(): void {
    this.element.hidden = true;
  }
}
