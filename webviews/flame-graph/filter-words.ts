// A filter in words.

import type { Facet, SampleFilter } from "../../contract/capture-answers.js";
import type { FacetName } from "../../contract/messages/flame-graph.js";
import { clipped } from "../../contract/plain-text.js";
import { isSampleClass } from "../../contract/sample-classes.js";
import { count } from "../words/figures.js";
import { classWords } from "../words/sample-classes.js";
import { duration } from "../graph/graph-figures.js";
import { FACET_WORDS, S } from "./strings.js";

const NAMED_VALUES = 2;

export interface Chip {
  readonly part: keyof SampleFilter;
  readonly text: string;
}

export function chipsOf(filter: SampleFilter): Chip[] {
  const chips: Chip[] = [];
  if (filter.timeMs)
    chips.push({ part: "timeMs", text: S.timeChip(duration(filter.timeMs.from), duration(filter.timeMs.to)) });
  for (const name of ["nodes", "schedulers", "processes", "classes"] as const) {
    const values = filter[name];
    if (!values || values.length === 0) continue;
    const named = values
      .slice(0, NAMED_VALUES)
      .map((value) => clipped(valueWord(name, value), 60))
      .join(", ");
    const shown = values.length > NAMED_VALUES ? S.andMore(named, count(values.length - NAMED_VALUES)) : named;
    chips.push({
      part: name,
      text: S.valuesChip(values.length === 1 ? FACET_WORDS[name].one : FACET_WORDS[name].title, shown),
    });
  }
  if (filter.focus) chips.push({ part: "focus", text: S.focusChip(clipped(filter.focus, 60)) });
  if (filter.ignore) chips.push({ part: "ignore", text: S.ignoreChip(clipped(filter.ignore, 60)) });
  return chips;
}

export function valueWord(name: FacetName, value: Facet["value"]): string {
  if (value === "") return FACET_WORDS[name].none;
  return name === "classes" && isSampleClass(value) ? classWords(value).name : value;
}
