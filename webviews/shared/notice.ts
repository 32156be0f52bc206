// What a page says when it has nothing to show, and the way out.

import { button } from "./controls.js";
import { element } from "./dom.js";

export interface NoticeAction {
  readonly label: string;
  run(): void;
}

export class Notice {
  readonly element = element("div", { class: "notice", role: "status" });

  say(text: string, actions: readonly NoticeAction[] = []): void {
    this.element.hidden = false;
    this.element.replaceChildren(element("p", {}, text));
    if (actions.length > 0) this.element.append(element("div", { class: "actions" }, ...actions.map(({ label, run }, index) => button(label, label, run, index === 0))));
  }

  hide(): void {
    this.element.hidden = true;
  }
}
