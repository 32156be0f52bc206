// Shares as text, wherever the editor writes them. The pages still have their own, with more digits. No vscode, no page.

/**
 * - `tenths`: `12.4%`, `0.0%`; for columns and lenses, where figures of one length are compared.
 * - `rough`: `12.4%`, `50%`; for sentences.
 * - `whole`: `12%`; for what changes all the time.
 */
export type Precision = "tenths" | "rough" | "whole";

/** Least and most digits behind the point. */
const DIGITS: Readonly<Record<Precision, readonly [number, number]>> = { tenths: [1, 1], rough: [0, 1], whole: [0, 0] };

/** Making one takes longer than using it a hundred times. */
const formats = new Map<string, Intl.NumberFormat>();

/** How a language writes the share that `part` is of `whole`; nothing of nothing is 0. */
export function percent(part: number, whole: number, language: string | undefined, precision: Precision): string {
  const key = `${precision} ${language ?? ""}`;
  const [minimumFractionDigits, maximumFractionDigits] = DIGITS[precision];
  let format = formats.get(key);
  if (format === undefined) formats.set(key, (format = new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits, maximumFractionDigits })));
  return format.format(whole > 0 ? part / whole : 0);
}
