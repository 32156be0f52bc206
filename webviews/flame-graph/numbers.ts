// Numbers and shares as text. What is counted, and what shares are of, belongs to the graph in view and is told with every one.

import { count, LANGUAGE } from "../words/figures.js";
import { counted } from "../words/page-words.js";
import { S } from "./strings.js";

/** What a graph's root stands for. */
export type Whole = "all" | "filtered" | "function";

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

const coarse = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const fine = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** `12.4 %`, and below ten `1.24 %`: most frames are narrow. */
export function percent(part: number, of: number): string {
  if (of <= 0) return "0 %";
  const share = (part / of) * 100;
  if (part > 0 && share < 0.01) return `< ${fine.format(0.01)} %`;
  return `${(share >= 10 ? coarse : fine).format(share)} %`;
}

export function samplesWord(value: number): string {
  return counted(value, basis.unit);
}

/** What shares of the whole graph are of. */
export function ofWhole(): string {
  return S.ofWhole[basis.whole];
}

/** `1.20 s`; below a second `340 ms`. */
export function duration(ms: number): string {
  if (ms > 0 && ms < 1000) return `${count(ms)} ms`;
  return `${(ms < 100_000 ? fine : coarse).format(ms / 1000)} s`;
}
