// Figures of the graph in view as text. The unit of the counts and the base of shares differ from graph to graph, so
// they are set with each.

import { decimal } from "../../contract/figures.js";
import { count, LANGUAGE, percent as pagePercent } from "../words/figures.js";
import { counted } from "../words/page-words.js";
import { GRAPH_STRINGS } from "./strings.js";

/** The samples that a graph's root stands for. */
export type Whole = "all" | "busy" | "filtered" | "function";

interface Basis {
  /** In the plural: `samples`. */
  unit: string;
  whole: Whole;
}

const basis: Basis = { unit: "samples", whole: "all" };

export function setUnit(unit: string): void {
  basis.unit = unit;
}

export function setWhole(whole: Whole): void {
  basis.whole = whole;
}

/** Most frames are narrow. */
export function percent(part: number, whole: number): string {
  return pagePercent(part, whole, "hundredths");
}

export function samplesWord(value: number): string {
  return counted(value, basis.unit);
}

/** The base of shares of the whole graph. */
export function ofWhole(): string {
  return GRAPH_STRINGS.ofWhole[basis.whole];
}

/** `1.20 s`; below a second `340 ms`. */
export function duration(ms: number): string {
  if (ms > 0 && ms < 1000) return `${count(ms)} ms`;
  return `${decimal(ms / 1000, LANGUAGE, ms < 100_000 ? 2 : 1)} s`;
}
