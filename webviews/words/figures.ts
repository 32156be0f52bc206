// Figures as people read them.

import { bounded } from "../../contract/bounded.js";

// Also read where there is no page, by unit tests.
const page = (globalThis as { readonly document?: { readonly documentElement: { readonly lang: string } } }).document;
/** Figures are written as the words of the page are. */
export const LANGUAGE = page?.documentElement.lang || "en";
const whole = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 });
const oneDecimal = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const small = new Intl.NumberFormat(LANGUAGE, { maximumSignificantDigits: 1 });

export function count(value: number): string {
  return whole.format(value);
}

/** `12.4 %`; what is too little for a decimal keeps a digit instead of looking like nothing. */
export function percent(part: number, of: number): string {
  if (of <= 0 || part <= 0) return `${oneDecimal.format(0)} %`;
  const value = (part / of) * 100;
  return `${value >= 0.05 ? oneDecimal.format(value) : value >= 0.001 ? small.format(value) : "< 0.001"} %`;
}

export function share(part: number, of: number): number {
  return of <= 0 ? 0 : bounded(part / of, 0, 1);
}
