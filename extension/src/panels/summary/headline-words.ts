// The main finding as a sentence. No vscode in here.

import { wholeOf, type CaptureTotals, type ClassShare, type PercentOf } from "../../../../contract/capture-answers.js";
import { marked, percent } from "../../../../contract/figures.js";
import type { SentencePart } from "../../../../contract/messages/summary.js";
import { shownName, type Words } from "../../../../contract/plain-text.js";
import { classWordsOf } from "../../../../contract/sample-classes.js";
import { typeOfUnit, typeWithin } from "../../../../contract/sample-type-words.js";
import type { Headline, HeadlineFunction } from "../../capture/answers/headline.js";
import type { FunctionFacts } from "../../capture/questions.js";

export interface HeadlineContext {
  readonly functions: readonly FunctionFacts[];
  readonly totals: CaptureTotals;
  readonly percentOf: PercentOf;
  /** The samples are of processes that wait, not of a processor. */
  readonly isWaits: boolean;
  /** The unit of counts: `samples`. */
  readonly unit: string;
  /** Below so many busy samples there is no finding, and shares of fewer samples are marked. */
  readonly minimumSamples: number;
  readonly words: Words;
  readonly language: string | undefined;
}

/** A class with less of the busy samples is not what a VM mostly does. */
const MOSTLY = 1 / 3;
/** A function with less of a class is one of its causes, not its cause. */
const CAUSED = 1 / 2;
/** Classes that are named where none stands out. */
const MOST_KINDS = 3;
/** Stands for the name of a function in a sentence; no name has it. */
const PLACE = "\u0000";

export function headlineWords({ kinds, cause, hottest }: Headline, context: HeadlineContext): SentencePart[] {
  const { totals, minimumSamples, words } = context;
  const [largest] = kinds;
  if (totals.busy < minimumSamples || largest === undefined) return [tooFew(context)];
  if (largest.sampleClass === null) return hottestWords(hottest, context);
  const wordsOf = classWordsOf(words);
  const shown = (kind: ClassShare) => [wordsOf(kind.sampleClass).within, share(kind, context)] as const;
  if (largest.samples < MOSTLY * totals.busy) {
    const parts = kinds.slice(0, MOST_KINDS).map((kind) => words.t("{0} ({1})", ...shown(kind)));
    return [`${words.t("No kind of work stands out: {0}.", parts.join(", "))} `, ...hottestWords(hottest, context)];
  }
  if (cause !== undefined) return causeWords(shown(largest), largest, cause, context);
  return [`${words.t("Mostly {0} ({1}).", ...shown(largest))} `, ...hottestWords(hottest, context)];
}

function causeWords(
  shown: readonly [kind: string, share: string],
  largest: ClassShare,
  cause: HeadlineFunction,
  context: HeadlineContext,
): SentencePart[] {
  const { words, language, minimumSamples } = context;
  const ofIt = marked(percent(cause.samples, largest.samples, language, "whole"), cause.samples, minimumSamples);
  const text =
    cause.samples >= CAUSED * largest.samples
      ? words.t("Mostly {0} ({1}), caused by {2}.", ...shown, PLACE)
      : words.t("Mostly {0} ({1}). {2} causes {3} of it.", ...shown, PLACE, ofIt);
  return withFunction(text, cause, context);
}

function hottestWords(hottest: HeadlineFunction | undefined, context: HeadlineContext): SentencePart[] {
  const { isWaits, words } = context;
  const type = typeOfUnit(context.unit);
  if (hottest === undefined)
    return [
      type === undefined
        ? words.t("No function has samples of its own.")
        : words.t("No function has a part of the {0}.", typeWithin(type, words)),
    ];
  const texts = [PLACE, share(hottest, context)] as const;
  const text = isWaits
    ? words.t("Processes mostly wait in {0} ({1}).", ...texts)
    : type === undefined
      ? words.t("The hottest function is {0} ({1}).", ...texts)
      : words.t("The largest part of the {2} is in {0} ({1}).", ...texts, typeWithin(type, words));
  return withFunction(text, hottest, context);
}

function tooFew({ totals, words, language, unit }: HeadlineContext): string {
  // Short blocks, and work between two samples, may be in none.
  if (typeOfUnit(unit) === "off-cpu") return words.t("This capture contains no time in which a scheduler was blocked.");
  return totals.busy === 0
    ? words.t("No sample of this capture shows work.")
    : words.t("Too few busy samples for a finding: {0}.", totals.busy.toLocaleString(language));
}

function share({ samples }: { readonly samples: number }, context: HeadlineContext): string {
  const { totals, percentOf, minimumSamples, language } = context;
  return marked(percent(samples, wholeOf(totals, percentOf), language, "whole"), samples, minimumSamples);
}

/** The sentence with the function in its place. */
function withFunction(text: string, fn: HeadlineFunction, { functions }: HeadlineContext): SentencePart[] {
  const { functionIndex } = fn;
  const name = shownName(functions[functionIndex]?.name ?? "");
  return text
    .split(PLACE)
    .flatMap((part, index): SentencePart[] => (index === 0 ? [part] : [{ functionIndex, name }, part]))
    .filter((part) => part !== "");
}
