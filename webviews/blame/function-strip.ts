// One function's native work, above the answer.

import type { FunctionInFocus } from "../../contract/messages/blame.js";
import { shortAmount } from "../../contract/sample-type-words.js";
import { ClassSplitView } from "../elements/class-split.js";
import { button } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { LANGUAGE } from "../words/figures.js";
import { STRINGS, type ShareBase } from "./strings.js";

export class FunctionStrip {
  readonly element: HTMLElement;
  readonly #title = element("h2", {});
  readonly #figures = element("p", { class: "quiet" });
  readonly #split: ClassSplitView;
  readonly #callees = element("ul", { class: "callees", "aria-label": STRINGS.callees });
  readonly #ask: (query: string) => void;
  #shownCallees = "";

  constructor(ask: (query: string) => void, leave: () => void) {
    this.#ask = ask;
    this.#split = new ClassSplitView({ ask: STRINGS.askOf }, ask);
    const head = element(
      "div",
      { class: "line" },
      this.#title,
      this.#figures,
      button(STRINGS.leave, STRINGS.leaveHelp, leave),
    );
    this.element = element(
      "section",
      { class: "strip", "aria-label": STRINGS.focusRegion, hidden: true },
      head,
      this.#split.element,
      this.#callees,
    );
  }

  show(focus: FunctionInFocus | null, base: ShareBase, queryInView: string): void {
    this.element.hidden = focus === null;
    if (!focus) return;
    this.#title.replaceChildren(nameText(STRINGS.focus(focus.name)));
    const totals = STRINGS.focusTotals(focus.self, focus.total, base);
    this.#figures.textContent = focus.self > 0 ? totals : `${totals}. ${STRINGS.focusNone}`;
    this.#split.show(focus.classes, { of: focus.self, label: STRINGS.focusSplit }, queryInView);
    const natives = focus.callees.filter(({ isNative }) => isNative);
    const shown = natives.map(({ name, samples }) => `${name} ${samples} ${base.unit}`).join("\n");
    if (shown === this.#shownCallees) return;
    this.#shownCallees = shown;
    this.#callees.hidden = natives.length === 0;
    this.#callees.replaceChildren(
      ...natives.map(({ name, samples }) => {
        const press = element(
          "button",
          { type: "button", class: "split-entry", title: STRINGS.askCallee(name) },
          nameText(name),
          element("span", { class: "split-samples" }, shortAmount(samples, base.unit, LANGUAGE)),
        );
        press.addEventListener("click", () => this.#ask(name));
        return element("li", {}, press);
      }),
    );
  }
}
