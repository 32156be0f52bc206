// Figures as text, the same in the editor, in its pages and in text copied from them. No vscode, no page.

/**
 * - `whole`: `12%`; for figures that change all the time.
 * - `rough`: `12.4%`, `50%`; for sentences.
 * - `tenths`: `12.4%`, `0.0%`; for columns and lenses, where figures of one length are compared.
 * - `hundredths`: `12.4%`, below ten `1.24%`; for frames of a flame graph, of which most are narrow.
 *
 * Except in `whole`, a figure above zero never looks like zero: `0.004%`, `< 0.001%`.
 */
export type Precision = "whole" | "rough" | "tenths" | "hundredths";

/** Least and most digits behind the point. */
type Digits = readonly [least: number, most: number];

const TENTHS: Digits = [1, 1];
const HUNDREDTHS: Digits = [2, 2];
/** Shares below this are written as being below it. */
const SMALLEST_SHARE = 0.000_01;

/** Making one takes longer than using it a hundred times. */
const formats = new Map<string, Intl.NumberFormat>();

function formatOf(
  language: string | undefined,
  style: "decimal" | "percent",
  [minimumFractionDigits, maximumFractionDigits]: Digits,
): Intl.NumberFormat {
  const key = `${style} ${String(minimumFractionDigits)} ${String(maximumFractionDigits)} ${language ?? ""}`;
  let format = formats.get(key);
  if (format === undefined)
    formats.set(
      key,
      (format = new Intl.NumberFormat(language, { style, minimumFractionDigits, maximumFractionDigits })),
    );
  return format;
}

/** How a language writes the share that `part` is of `whole`; nothing of nothing is 0. */
export function percent(part: number, whole: number, language: string | undefined, precision: Precision): string {
  const share = whole > 0 && part > 0 ? part / whole : 0;
  const digits = percentDigits(share, precision);
  const looksLikeNothing = share < 0.005 / 10 ** digits[1];
  if (looksLikeNothing && share > 0 && precision !== "whole") return smallPercent(share, language);
  return formatOf(language, "percent", digits).format(share);
}

/** Before a figure of few samples. */
export const UNSURE = "≈";

/** A figure that is made of these samples, marked where they are too few to trust it. */
export function marked(figure: string, samples: number, minimumSamples: number): string {
  return samples < minimumSamples ? `${UNSURE} ${figure}` : figure;
}

/**
 * The same for a figure of a function or line. One with enough samples in total and none of its own only calls others:
 * its 0 needs no mark.
 */
export function markedOf(total: number, figure: string, samples: number, minimumSamples: number): string {
  return samples === 0 && total >= minimumSamples ? figure : marked(figure, samples, minimumSamples);
}

function percentDigits(share: number, precision: Precision): Digits {
  switch (precision) {
    case "whole":
      return [0, 0];
    case "rough":
      return [0, 1];
    case "tenths":
      return TENTHS;
    case "hundredths":
      return share < 0.1 ? HUNDREDTHS : TENTHS;
  }
}

function smallPercent(share: number, language: string | undefined): string {
  const format = new Intl.NumberFormat(language, { style: "percent", maximumSignificantDigits: 1 });
  return share < SMALLEST_SHARE ? `< ${format.format(SMALLEST_SHARE)}` : format.format(share);
}

/** A change in percent with its sign: `+18.2%`, `-3.0%`, `0.0%`. */
export function signedPercent(changePercent: number, language: string | undefined): string {
  return new Intl.NumberFormat(language, {
    style: "percent",
    maximumFractionDigits: 1,
    minimumFractionDigits: 1,
    signDisplay: "exceptZero",
  }).format(changePercent / 100);
}

/** A whole number, `1,234`. */
export function count(value: number, language: string | undefined): string {
  return formatOf(language, "decimal", [0, 0]).format(value);
}

/** A number with so many digits behind the point, `1,234.5`. */
export function decimal(value: number, language: string | undefined, most: number, least = most): string {
  return formatOf(language, "decimal", [least, most]).format(value);
}

/** Bytes of a file, `12.3 kB`, `4.5 MB`. */
export function fileSize(bytes: number, language: string | undefined): string {
  const [unit, value] = bytes < 1e6 ? ["kilobyte", bytes / 1e3] : ["megabyte", bytes / 1e6];
  return new Intl.NumberFormat(language, { style: "unit", unit, maximumFractionDigits: 1 }).format(value);
}

const MEMORY_UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Bytes of memory with three digits at least, `912 B`, `12.3 kB`, `4.56 GB`; a kB is 1,000 bytes, as in a file's size. */
export function memorySize(bytes: number, language: string | undefined): string {
  // A value that would be written as 1,000 of a unit is one of the next.
  const scale =
    bytes < 999.5 ? 0 : Math.min(Math.floor((Math.log10(bytes * (1 + 0.000_5)) + 1e-9) / 3), MEMORY_UNITS.length - 1);
  const value = bytes / 1000 ** scale;
  const digits = scale === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${decimal(value, language, digits)} ${MEMORY_UNITS[scale] ?? ""}`;
}

/** A change of them with its sign: `+4.56 MB`, `-12.3 kB`, `0 B`. */
export function signedMemorySize(bytes: number, language: string | undefined): string {
  const sign = bytes > 0 ? "+" : bytes < 0 ? "-" : "";
  return `${sign}${memorySize(Math.abs(bytes), language)}`;
}

const TIME_UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** An age, in its two largest units that are not zero: `5 days, 3 hours`, `1 minute, 20 seconds`, `0 seconds`. */
export function timeSpan(seconds: number, language: string | undefined): string {
  let left = Math.max(Math.floor(seconds), 0);
  const written: string[] = [];
  const largest = TIME_UNITS.findIndex(([, length]) => left >= length);
  for (const [unit, length] of TIME_UNITS.slice(largest === -1 ? TIME_UNITS.length - 1 : largest).slice(0, 2)) {
    const value = Math.floor(left / length);
    left -= value * length;
    if (value > 0 || written.length === 0)
      written.push(new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(value));
  }
  return new Intl.ListFormat(language, { type: "unit", style: "long" }).format(written);
}

/** With seconds on request: `14:03`, `14:03:27`, in the user's time zone. */
export function timeOfDay(
  unixMs: number,
  language: string | undefined,
  seconds: "seconds" | "no seconds" = "no seconds",
): string {
  return new Intl.DateTimeFormat(language, { timeStyle: timeStyle(seconds) }).format(unixMs);
}

/** `21 Nov 2026, 14:03`. */
export function dateAndTime(
  unixMs: number,
  language: string | undefined,
  seconds: "seconds" | "no seconds" = "no seconds",
): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: timeStyle(seconds) }).format(unixMs);
}

function timeStyle(seconds: "seconds" | "no seconds"): "medium" | "short" {
  return seconds === "seconds" ? "medium" : "short";
}
