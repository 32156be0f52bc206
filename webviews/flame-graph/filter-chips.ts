// One line that says what is filtered out, each part with its own way back.

import type { Facet, SampleFilter } from "../../extension/src/capture/questions.js";
import { restricts } from "./choices.js";
import { button } from "./controls.js";
import { element } from "./dom.js";
import type { FacetName } from "./messages.js";
import { clipped, count, duration, percent, samplesWord } from "./numbers.js";
import { CLASS_WORDS, FACET_WORDS, S } from "./strings.js";

const NAMED_VALUES = 2;

export interface Chip {
  readonly part: keyof SampleFilter;
  readonly text: string;
}

export function chipsOf(filter: SampleFilter): Chip[] {
  const chips: Chip[] = [];
  if (filter.timeMs) chips.push({ part: "timeMs", text: S.timeChip(duration(filter.timeMs.from), duration(filter.timeMs.to)) });
  for (const name of ["schedulers", "processes", "classes"] as const) {
    const values = filter[name];
    if (!values || values.length === 0) continue;
    const named = values.slice(0, NAMED_VALUES).map((value) => clipped(valueWord(name, value), 60)).join(", ");
    const shown = values.length > NAMED_VALUES ? S.andMore(named, count(values.length - NAMED_VALUES)) : named;
    chips.push({ part: name, text: S.valuesChip(values.length === 1 ? FACET_WORDS[name].one : FACET_WORDS[name].title, shown) });
  }
  if (filter.focus) chips.push({ part: "focus", text: S.focusChip(clipped(filter.focus, 60)) });
  if (filter.ignore) chips.push({ part: "ignore", text: S.ignoreChip(clipped(filter.ignore, 60)) });
  return chips;
}

export function valueWord(name: FacetName, value: Facet["value"]): string {
  if (value === "") return FACET_WORDS[name].none;
  return name === "classes" && Object.hasOwn(CLASS_WORDS, value) ? CLASS_WORDS[value as keyof typeof CLASS_WORDS] : value;
}

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
    const all = button([S.clearAll, S.clearAll], events.takeBackAll);
    this.element = element("section", { class: "chip-line", "aria-label": S.filtered, hidden: true }, element("span", {}, S.filtered), this.list, this.matched, all);
  }

  /** @param samples null while it is not known */
  show(filter: SampleFilter, samples: number | null, allSamples: number): void {
    this.element.hidden = !restricts(filter);
    const matched = samples === null ? S.building : S.matchedOf(count(samples), samplesWord(allSamples), percent(samples, allSamples));
    if (this.matched.textContent !== matched) this.matched.textContent = matched;
    const chips = chipsOf(filter);
    // A chip that has the focus stays while the figures beside it change.
    const text = JSON.stringify(chips);
    if (text === this.#shown) return;
    this.#shown = text;
    this.list.replaceChildren(...chips.map((chip) => {
      const made = button([`${chip.text} ✕`, S.clearOne(chip.text)], () => this.events.takeBack(chip.part));
      made.setAttribute("aria-label", S.clearOne(chip.text));
      return made;
    }));
  }
}
