// Samples as the figures of lenses and lines. No vscode in here.

import type { Counts, Attribution, PercentOf } from "../../../contract/capture-answers.js";
import { count, decimal, markedOf, percent, UNSURE } from "../../../contract/figures.js";
import type { Words } from "../../../contract/plain-text.js";
import {
  amountPerSecond,
  amountText,
  busyAmountText,
  shortAmount,
  typeOfUnit,
  typeWithin,
} from "../../../contract/sample-type-words.js";
import type { SampleTypeId } from "../../../contract/sample-types.generated.js";

export interface FigureFormat {
  readonly words: Words;
  readonly language: string | undefined;
  /** Fewer samples than this are marked. */
  readonly minimumSamples: number;
  /** What 100 % is. */
  readonly percentOf: PercentOf;
  /** The unit of counts: `samples`. */
  readonly unit: string;
}

/** `45.6% own (1,234) · 78.9% total (2,135)`. Each figure has the samples that it is made of, and `≈` before it when they are few. Of another type than processor time: `45.6% own (1,234 ms) · 78.9% total (2,135 ms) · blocked time`. */
export function lensText(counts: Counts, attribution: Attribution, whole: number, format: FigureFormat): string {
  const { words } = format;
  const type = typeOfUnit(format.unit);
  const of = type === undefined ? "" : ` · ${typeWithin(type, words)}`;
  const [first, total] = [attribution === "own" ? counts.own : counts.self, counts.total];
  const texts = [...figure(first, total, whole, format), ...figure(total, total, whole, format)] as const;
  return attribution === "own"
    ? `${words.t("{0} own ({1}) · {2} total ({3})", ...texts)}${of}`
    : `${words.t("{0} self ({1}) · {2} total ({3})", ...texts)}${of}`;
}

/** `45.6% own ± 2.1 (1,234) · 12.3% self ± 1.4 (333) · 78.9% total ± 1.7 (2,135) · of 2,706 busy samples`; without `own` where there is none. */
export function hoverFigures(
  { own, self, total }: { readonly own: number | null; readonly self: number; readonly total: number },
  whole: number,
  format: FigureFormat,
): string {
  const { words, language, unit } = format;
  const part = (samples: number) => {
    const [share, counted] = figure(samples, total, whole, format);
    return [share, decimal(uncertaintyPoints(samples, whole), language, 1), counted] as const;
  };
  // Only where figures are numbers of samples, chance is in them.
  if (typeOfUnit(unit) !== undefined)
    return [
      ...(own === null ? [] : [words.t("{0} own ({1})", ...figure(own, total, whole, format))]),
      words.t("{0} self ({1})", ...figure(self, total, whole, format)),
      words.t("{0} total ({1})", ...figure(total, total, whole, format)),
      words.t("of {0}", wholeText(whole, format)),
    ].join(" · ");
  return [
    ...(own === null ? [] : [words.t("{0} own ± {1} ({2})", ...part(own))]),
    words.t("{0} self ± {1} ({2})", ...part(self)),
    words.t("{0} total ± {1} ({2})", ...part(total)),
    format.percentOf === "busy"
      ? words.t("of {0} busy samples", count(whole, language))
      : words.t("of {0} samples", count(whole, language)),
  ].join(" · ");
}

/** `11.4% own ± 1.0 (481 of 4,226 busy samples)`: a figure by itself. */
export function sumFigures(samples: number, attribution: "own" | "self", whole: number, format: FigureFormat): string {
  const { words, language, percentOf, unit } = format;
  const [share, counted] = figure(samples, samples, whole, format);
  if (typeOfUnit(unit) !== undefined) {
    const texts = [share, counted, wholeText(whole, format)] as const;
    return attribution === "own"
      ? words.t("{0} own ({1} of {2})", ...texts)
      : words.t("{0} self ({1} of {2})", ...texts);
  }
  const around = decimal(uncertaintyPoints(samples, whole), language, 1);
  const texts = [share, around, counted, count(whole, language)] as const;
  if (percentOf === "all")
    return attribution === "own"
      ? words.t("{0} own ± {1} ({2} of {3} samples)", ...texts)
      : words.t("{0} self ± {1} ({2} of {3} samples)", ...texts);
  return attribution === "own"
    ? words.t("{0} own ± {1} ({2} of {3} busy samples)", ...texts)
    : words.t("{0} self ± {1} ({2} of {3} busy samples)", ...texts);
}

/**
 * A type of samples that is not shown: `Also blocked time: 34.5% own (513 ms, 84 ms/s)`, with the total where that differs. Empty where
 * there is nothing of it.
 * @param own null where no code is own: then self
 */
export function otherTypeText(
  type: SampleTypeId,
  { own, self, total }: { readonly own: number | null; readonly self: number; readonly total: number },
  { whole, seconds }: { readonly whole: number; readonly seconds: number },
  format: FigureFormat,
): string {
  if (total === 0) return "";
  const { words, language, unit } = format;
  const part = (samples: number) => {
    const [share, counted] = figure(samples, total, whole, format);
    const rate = amountPerSecond(samples, seconds, unit, language);
    return [share, rate === "" ? counted : `${counted}, ${rate}`] as const;
  };
  const here = own ?? self;
  const texts = [
    ...(here === 0
      ? []
      : [own === null ? words.t("{0} self ({1})", ...part(self)) : words.t("{0} own ({1})", ...part(own))]),
    ...(total === here ? [] : [words.t("{0} total ({1})", ...part(total))]),
  ];
  return words.t("Also {0}: {1}", typeWithin(type, words), texts.join(" · "));
}

/** A share, marked when its samples are few, and the samples. @param total samples of the whole function */
function figure(
  samples: number,
  total: number,
  whole: number,
  { language, minimumSamples, unit }: FigureFormat,
): readonly [share: string, samples: string] {
  const share = percent(samples, whole, language, "tenths");
  return [markedOf(total, share, samples, minimumSamples), shortAmount(samples, unit, language)];
}

/** What 100 % is: `1,234 ms of blocked time without idle`. */
function wholeText(whole: number, { words, language, percentOf, unit }: FigureFormat): string {
  return percentOf === "busy" ? busyAmountText(whole, unit, words, language) : amountText(whole, unit, words, language);
}

/** What shares are of, as a sentence. */
export function baseText({ words, percentOf, unit }: Pick<FigureFormat, "words" | "percentOf" | "unit">): string {
  const type = typeOfUnit(unit);
  if (type !== undefined)
    return percentOf === "busy"
      ? words.t("Shares of the {0} without idle.", typeWithin(type, words))
      : words.t("Shares of the {0} with idle.", typeWithin(type, words));
  return percentOf === "busy"
    ? words.t("Shares of all samples except idle ones.")
    : words.t("Shares of all samples, including idle ones.");
}

/** The meaning of `≈`, for a text with figures; empty when none of them has it. */
export function tooFewText(figures: string, minimumSamples: number, words: Words): string {
  return figures.includes(UNSURE)
    ? words.t(
        "≈ Too few samples to trust: fewer than {0}. Capture longer, or with more samples per second.",
        minimumSamples,
      )
    : "";
}

/** Half the width of the 95 % confidence interval of a share, in percentage points: by so much another capture of the same load may differ. */
export function uncertaintyPoints(part: number, whole: number): number {
  if (whole === 0) return 0;
  // Wilson's interval: the plain one is of width 0 for shares of 0 and 1.
  const z = 1.96;
  const share = part / whole;
  const spread = (z / (1 + (z * z) / whole)) * Math.sqrt((share * (1 - share)) / whole + (z * z) / (4 * whole * whole));
  return spread * 100;
}

/** What the compiler made a function of, by its raw name; null for functions of the source, and for loops of calls that were inlined. */
export function generatedFrom(rawName: string): "fun" | "comprehension" | null {
  const kind = GENERATED.exec(rawName)?.[1];
  if (kind === undefined) return null;
  if (kind === "fun" || kind === "anonymous") return "fun";
  // A fun with a name: Elixir's source has none, there it is the loop of a `for`.
  if (kind.includes("/")) return rawName.startsWith("'Elixir.") && /^_@?\d+\/2$/u.test(kind) ? "comprehension" : "fun";
  return "comprehension";
}

/** `'-OUTER/ARITY-KIND`, and for a fun that calls itself by a name `'-OUTER/ARITY-NAME/ARITY-`. */
const GENERATED = /'-[^'"]+?\/\d+-(fun|anonymous|lc|l?bc|mc|[\p{Lu}_][\p{L}\d_@]*\/\d+(?=-\d+-'))(?=\W)/u;
