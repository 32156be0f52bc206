// Numbers and shares as text. What is counted, and what shares are of, belongs to the graph in view and is told with every one.

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

// Also read where there is no page, by unit tests.
const page = (globalThis as { readonly document?: { readonly documentElement: { readonly lang: string } } }).document;
const LANGUAGE = page?.documentElement.lang || "en";
const whole = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 });
const coarse = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const fine = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export function percent(part: number, of: number): string {
  if (of <= 0) return "0 %";
  const share = (part / of) * 100;
  if (part > 0 && share < 0.01) return `< ${fine.format(0.01)} %`;
  return `${(share >= 10 ? coarse : fine).format(share)} %`;
}

export function count(value: number): string {
  return whole.format(Math.round(value));
}

export function samplesWord(value: number): string {
  return `${count(value)} ${value === 1 && basis.unit === "samples" ? "sample" : basis.unit}`;
}

/** What shares of the whole graph are of. */
export function ofWhole(): string {
  return S.ofWhole[basis.whole];
}

/** `1.20 s`; below a second `340 ms`. */
export function duration(ms: number): string {
  if (ms > 0 && ms < 1000) return `${whole.format(ms)} ms`;
  return `${(ms < 100_000 ? fine : coarse).format(ms / 1000)} s`;
}
