// The text of a page that has nothing to show, with buttons for the remedies.

import type { EmptyPageAction, EmptyPageRequest } from "../../contract/messages/any-page.js";
import { button } from "../elements/controls.js";
import { element } from "../elements/dom.js";
import { SHARED_STRINGS } from "../words/page-words.js";

export interface NoticeAction {
  readonly label: string;
  run(): void;
}

/** Buttons for the actions that the host offers. */
export function waysOut(
  actions: readonly EmptyPageAction[],
  send: (request: EmptyPageRequest) => void,
): NoticeAction[] {
  return actions.map((action) => ({ label: SHARED_STRINGS.waysOut[action], run: () => send({ type: "do", action }) }));
}

export class Notice {
  readonly element: HTMLElement;
  readonly #message = element("div", { class: "notice-message", role: "status" });
  readonly #ways = element("div", { class: "actions" });

  /** @param title the page's heading, for users who cannot see which panel it is; null where the page has one anyway */
  constructor(title: string | null) {
    this.element =
      title === null
        ? element("div", { class: "notice" }, this.#message, this.#ways)
        : element("main", { class: "notice" }, element("h1", { class: "unseen" }, title), this.#message, this.#ways);
  }

  say(text: string, actions: readonly NoticeAction[] = []): void {
    this.element.hidden = false;
    this.#message.replaceChildren(element("p", {}, text));
    this.#ways.hidden = actions.length === 0;
    this.#ways.replaceChildren(...actions.map(({ label, run }, index) => button(label, label, run, index === 0)));
  }

  hide(): void {
    this.element.hidden = true;
  }
}
