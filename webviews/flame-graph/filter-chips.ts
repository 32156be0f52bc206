// One line with all parts of the filter, each with its own way back.

import type { SampleFilter } from "../../contract/capture-answers.js";
import { restricts } from "../../contract/messages/flame-graph.js";
import { button } from "../elements/controls.js";
import { element } from "../elements/dom.js";
import { count } from "../words/figures.js";
import { chipsOf } from "./filter-words.js";
import { percent, samplesWord } from "../graph/graph-figures.js";
import { S } from "./strings.js";

export interface ChipEvents {
  readonly takeBack: (part: keyof SampleFilter) => void;
  readonly takeBackAll: () => void;
}

export class FilterChips {
  private readonly list = element("span", { class: "chips" });
  private readonly matched = element("span", { class: "matched", role: "status" });
  readonly element: HTMLElement;
  #shown = "";

  constructor(private readonly events: ChipEvents) {
    const all = button(S.clearAll, S.clearAll, events.takeBackAll);
    this.element = element(
      "section",
      { class: "chip-line", "aria-label": S.filtered, hidden: true },
      element("span", {}, S.filtered),
      this.list,
      this.matched,
      all,
    );
  }

  /** @param samples null while it is not known */
  show(filter: SampleFilter, samples: number | null, allSamples: number): void {
    this.element.hidden = !restricts(filter);
    const matched =
      samples === null
        ? S.building
        : S.matchedOf(count(samples), samplesWord(allSamples), percent(samples, allSamples));
    if (this.matched.textContent !== matched) this.matched.textContent = matched;
    const chips = chipsOf(filter);
    // A chip that has the focus stays while the figures beside it change.
    const text = JSON.stringify(chips);
    if (text === this.#shown) return;
    this.#shown = text;
    this.list.replaceChildren(
      ...chips.map((chip) => {
        const made = button(`${chip.text} ✕`, S.clearOne(chip.text), () => this.events.takeBack(chip.part));
        made.setAttribute("aria-label", S.clearOne(chip.text));
        return made;
      }),
    );
  }
}
