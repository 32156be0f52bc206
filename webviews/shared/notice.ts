// What a page says when it has nothing to show, and the way out.

import { button } from "./controls.js";
import { element } from "./dom.js";

export interface NoticeAction {
  readonly label: string;
  run(): void;
}

export class Notice {
  readonly element: HTMLElement;
  readonly #said = element("div", { class: "notice-said", role: "status" });
  readonly #ways = element("div", { class: "actions" });

  /** @param title the page's heading, for those who cannot see which panel it is */
  constructor(title: string) {
    this.element = element("main", { class: "notice" }, element("h1", { class: "unseen" }, title), this.#said, this.#ways);
  }

  say(text: string, actions: readonly NoticeAction[] = []): void {
    this.element.hidden = false;
    this.#said.replaceChildren(element("p", {}, text));
    this.#ways.replaceChildren(...actions.map(({ label, run }, index) => button(label, label, run, index === 0)));
  }

  hide(): void {
    this.element.hidden = true;
  }
}
