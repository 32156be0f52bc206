// The figures of the whole program on both sides, before those of its functions.

import type { Whole } from "../../contract/editor-module.generated.js";
import { element } from "../elements/dom.js";
import { signedPercent } from "../../contract/figures.js";
import { LANGUAGE } from "../words/figures.js";
import { changeText, valueText } from "./change-figures.js";
import { SIGNS } from "./change-source.js";
import { STRINGS } from "./strings.js";

/** More captures a side are not listed. */
const MOST_CAPTURES = 12;

/** Hidden where the captures contain no processor time. */
export class WholeLine {
  readonly #change = element("strong");
  readonly #values = element("span");
  readonly #visible = element("span", { class: "quiet" });
  readonly #captures = element("p", { class: "quiet" });
  readonly element = element(
    "section",
    { class: "whole", hidden: true, "aria-label": STRINGS.whole },
    element("p", {}, element("span", {}, `${STRINGS.whole}: `), this.#values, " ", this.#change, " ", this.#visible),
    this.#captures,
  );

  /** @param work   what counts as work */
  show(whole: Whole | undefined, work: string): void {
    this.element.hidden = whole === undefined;
    if (whole === undefined) return;
    const value = (figure: number) => valueText(figure, whole.measure);
    const all = (figures: readonly number[]) =>
      figures.slice(0, MOST_CAPTURES).map(value).join("  ") + (figures.length > MOST_CAPTURES ? " …" : "");
    const { change_pct: change, low_pct: low, high_pct: high, verdict } = whole;
    this.#values.textContent = STRINGS.beforeAndNow(value(whole.base), value(whole.new));
    const interval =
      low === null || high === null
        ? ""
        : STRINGS.interval(signedPercent(low, LANGUAGE), signedPercent(high, LANGUAGE));
    this.#change.textContent = `${SIGNS[verdict]} ${change === null ? STRINGS.verdicts[verdict] : STRINGS.wholeChange(STRINGS.verdicts[verdict], changeText(change), interval)}`;
    this.#change.className = verdict;
    this.#visible.textContent = STRINGS.wholeVisible(whole.smallest_visible_pct);
    this.#captures.textContent = STRINGS.wholeCaptures(all(whole.base_captures), all(whole.new_captures));
    this.element.title = STRINGS.measureHelp[whole.measure](work);
  }
}
