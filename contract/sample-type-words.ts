// Types of samples in words and units, the same in the editor and in its pages.

import { count, decimal } from "./figures.js";
import type { Words } from "./plain-text.js";
import type { SampleTypeId } from "./sample-types.generated.js";

/** What a count is one of. */
interface CountedUnit {
  /** As the facts of a capture have it; `amountText` translates it. */
  readonly unit: string;
  /** How much of the file's value one count is; null where it is the period of the capture. */
  readonly divisor: number | null;
}

export const SAMPLES = "samples";

/** Counts have 32 bits: a millisecond is the smallest unit in which the time of many schedulers has room. */
export const COUNTED_UNITS: Readonly<Record<SampleTypeId, CountedUnit>> = {
  cpu: { unit: SAMPLES, divisor: null },
  "off-cpu": { unit: "ms of blocked time", divisor: 1e6 },
  alloc: { unit: "kB of allocated memory", divisor: 1000 },
  faults: { unit: "page faults", divisor: 1 },
};

/** The units in short, behind a figure where the type is named. */
const SYMBOLS: Readonly<Record<Exclude<SampleTypeId, "cpu">, string>> = { "off-cpu": " ms", alloc: " kB", faults: "" };

/** The type whose figures have this unit; undefined for samples, and for what another tool counted. */
export function typeOfUnit(unit: string): Exclude<SampleTypeId, "cpu"> | undefined {
  if (unit === COUNTED_UNITS["off-cpu"].unit) return "off-cpu";
  if (unit === COUNTED_UNITS.faults.unit) return "faults";
  return unit === COUNTED_UNITS.alloc.unit ? "alloc" : undefined;
}

/** The fewest samples of a figure that can be trusted; 0 where figures are no numbers of samples, so that none is marked. */
export function leastSamples(minimumSamples: number, unit: string): number {
  return typeOfUnit(unit) === undefined ? minimumSamples : 0;
}

/** In lists: `Blocked Time`. */
export function typeTitle(type: SampleTypeId, words: Words): string {
  switch (type) {
    case "cpu":
      return words.t("CPU Time");
    case "off-cpu":
      return words.t("Blocked Time");
    case "alloc":
      return words.t("Allocated Memory");
    case "faults":
      return words.t("Page Faults");
  }
}

/** In the middle of a sentence: `blocked time`. */
export function typeWithin(type: SampleTypeId, words: Words): string {
  switch (type) {
    case "cpu":
      return words.t("CPU time");
    case "off-cpu":
      return words.t("blocked time");
    case "alloc":
      return words.t("allocated memory");
    case "faults":
      return words.t("page faults");
  }
}

/** `1,234 samples`, `1,234 ms of blocked time`. What profiles of others count, they name in the plural. */
export function amountText(value: number, unit: string, words: Words, language: string | undefined): string {
  const figure = count(value, language);
  switch (typeOfUnit(unit)) {
    case "off-cpu":
      return words.t("{0} ms of blocked time", figure);
    case "alloc":
      return words.t("{0} kB of allocated memory", figure);
    case "faults":
      return value === 1 ? words.t("1 page fault") : words.t("{0} page faults", figure);
    case undefined:
      if (unit !== SAMPLES) return `${figure} ${unit}`;
      return value === 1 ? words.t("1 sample") : words.t("{0} samples", figure);
  }
}

/** The same where the type is named beside it: `1,234 ms`; of samples and page faults the number alone. */
export function shortAmount(value: number, unit: string, language: string | undefined): string {
  const figure = count(value, language);
  const type = typeOfUnit(unit);
  return type === undefined ? figure : `${figure}${SYMBOLS[type]}`;
}

/** The amount of each second: `84 ms/s`, `0.4 ms/s`. Empty for samples, and where the time is not known. */
export function amountPerSecond(value: number, seconds: number, unit: string, language: string | undefined): string {
  const type = typeOfUnit(unit);
  if (type === undefined || !(seconds > 0)) return "";
  const rate = value / seconds;
  // A figure above zero never looks like zero.
  if (value > 0 && rate < 0.05) return `< ${decimal(0.1, language, 1)}${SYMBOLS[type]}/s`;
  return `${decimal(rate, language, rate < 9.95 ? 1 : 0)}${SYMBOLS[type]}/s`;
}

/** The base of shares without idle: `1,234 busy samples`, `1,234 ms of blocked time without idle`. */
export function busyAmountText(value: number, unit: string, words: Words, language: string | undefined): string {
  return typeOfUnit(unit) === undefined
    ? words.t("{0} busy samples", count(value, language))
    : words.t("{0} without idle", amountText(value, unit, words, language));
}
