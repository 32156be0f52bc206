// Figures of the graph in view as text. The unit of the counts and the base of shares differ from graph to graph, so
// they are set with each.

import { decimal, marked, markedOf, UNSURE } from "../../contract/figures.js";
import { count, LANGUAGE, percent as pagePercent } from "../words/figures.js";
import { counted, SHARED_STRINGS, typeOfShares } from "../words/page-words.js";
import { GRAPH_STRINGS } from "./strings.js";

/** The samples that a graph's root stands for. */
export type Whole = "all" | "busy" | "filtered" | "function";

interface Basis {
  /** In the plural: `samples`. */
  unit: string;
  whole: Whole;
  /** Shares of fewer are marked. */
  minimumSamples: number;
}

const basis: Basis = { unit: "samples", whole: "all", minimumSamples: 0 };

export function setUnit(unit: string): void {
  basis.unit = unit;
}

export function setWhole(whole: Whole): void {
  basis.whole = whole;
}

export function setMinimumSamples(minimumSamples: number): void {
  basis.minimumSamples = minimumSamples;
}

/** Most frames are narrow. */
export function percent(part: number, whole: number): string {
  return pagePercent(part, whole, "hundredths");
}

/** With `≈` before a share of too few samples. */
export function shareText(part: number, whole: number): string {
  return marked(percent(part, whole), part, basis.minimumSamples);
}

/** The same of the self samples of a frame. */
export function selfShareText(self: number, total: number, whole: number): string {
  return markedOf(total, percent(self, whole), self, basis.minimumSamples);
}

/** What `≈` means, where a text has it; else empty. */
export function tooFewIn(text: string): string {
  return text.includes(UNSURE) ? SHARED_STRINGS.tooFew(basis.minimumSamples) : "";
}

export function samplesWord(value: number): string {
  return counted(value, basis.unit);
}

/** The base of shares of the whole graph. */
export function ofWhole(): string {
  const type = typeOfShares(basis.unit);
  if (basis.whole === "busy" && type !== undefined) return GRAPH_STRINGS.ofType(type);
  return GRAPH_STRINGS.ofWhole[basis.whole];
}

/** `1.20 s`; below a second `340 ms`. */
export function duration(ms: number): string {
  if (ms > 0 && ms < 1000) return `${count(ms)} ms`;
  return `${decimal(ms / 1000, LANGUAGE, ms < 100_000 ? 2 : 1)} s`;
}
