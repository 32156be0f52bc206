// Figures in the language of the page.

import { bounded } from "../../contract/bounded.js";
import * as figures from "../../contract/figures.js";

// Also read where there is no page, by unit tests.
const page = (globalThis as { readonly document?: { readonly documentElement: { readonly lang: string } } }).document;
/** Figures are written as the words of the page are. */
export const LANGUAGE = page?.documentElement.lang || "en";

export function count(value: number): string {
  return figures.count(value, LANGUAGE);
}

/** With one digit behind the point. */
export function decimal(value: number): string {
  return figures.decimal(value, LANGUAGE, 1);
}

/** Without zeros at its end. */
export function upToThousandths(value: number): string {
  return figures.decimal(value, LANGUAGE, 3, 0);
}

/** A figure that may be larger is marked. */
export function atLeast(isAtLeast: boolean, figure: string): string {
  return isAtLeast ? `≥ ${figure}` : figure;
}

/** Bytes of memory, `12.3 kB`. */
export function memorySize(bytes: number): string {
  return figures.memorySize(bytes, LANGUAGE);
}

/** A change of them with its sign. */
export function signedMemorySize(bytes: number): string {
  return figures.signedMemorySize(bytes, LANGUAGE);
}

/** How long something has been there, `5 days, 3 hours`. */
export function timeSpan(seconds: number): string {
  return figures.timeSpan(seconds, LANGUAGE);
}

/** With two digits behind the point, for values from 0 to 1. */
export function hundredths(value: number): string {
  return figures.decimal(value, LANGUAGE, 2);
}

export function percent(part: number, whole: number, precision: figures.Precision = "tenths"): string {
  return figures.percent(part, whole, LANGUAGE, precision);
}

/** The share that `part` is of `whole`, from 0 to 1, for the width of a bar. */
export function share(part: number, whole: number): number {
  return whole <= 0 ? 0 : bounded(part / whole, 0, 1);
}
